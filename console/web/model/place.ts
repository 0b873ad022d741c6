export type Place =
  | { readonly page: 'overview' }
  | { readonly page: 'application'; readonly namespace: string; readonly name: string }
  | { readonly page: 'nowhere' };

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** What the path of a URL names. */
export function placeOf(path: string): Place {
  if (path === '/') return { page: 'overview' };
  const [, ...parts] = /^\/applications\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const [namespace = '', name = ''] = parts.map(decoded);
  return namespace === '' || name === '' ? { page: 'nowhere' } : { page: 'application', namespace, name };
}

export function applicationPath({ namespace, name }: { namespace: string; name: string }): string {
  return `/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}
