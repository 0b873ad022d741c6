/** What the codes of OpenSSL hide from people. */
const HINTS: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server does not speak TLS: use an http:// URL, or for a registry spec.insecure (insecureSkipTLS in source.inline)',
};

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error ? String(error.name) : 'unknown error';
}

/** Why a connection failed, with the way out where the code does not say it. Never throws. */
export function connectionProblem(error: unknown): string {
  const code = codeOf(error);
  const hint = Object.hasOwn(HINTS, code) ? HINTS[code] : undefined;
  return hint === undefined ? code : `${hint} (${code})`;
}
