/** The part of a URL behind its path, without what is empty; empty if nothing is left. */
export function queryText(texts: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== '')).toString();
  return params === '' ? '' : `?${params}`;
}
