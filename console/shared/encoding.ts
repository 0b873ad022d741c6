/** True if a request says in `Accept-Encoding` that it can read gzip. */
export function takesGzip(accepted: string | readonly string[] = ''): boolean {
  return /(^|,)\s*gzip\s*(,|$)/.test([accepted].flat().join(','));
}
