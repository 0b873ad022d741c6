const MAX_LENGTH = 600;
/** Servers decide what git says, and the patterns below may read a text once for each of its characters. */
const MAX_READ = 4_096;
/** A shorter password, e.g. `x` next to a token, occurs in any text. */
const SHORT = 6;
/** Also the alarm of ssh about a key that changed, behind which nobody would find that it did. */
const NOISE =
  /^(warning|hint):|^\s*$|^@|^(IT IS POSSIBLE|Someone could|It is also possible|Please (contact|make sure)|Offending |and the repository)/;
/** How git reports an answer over http without success; the page of the server, as `remote:`, could be of anybody. */
const HTTP_ERROR = /^fatal: (?:unable to access|repository '.*' not found|Authentication failed for)/m;
/** All that GnuTLS, with which Debian builds git, says of a certificate. */
const UNVERIFIED = / CAfile: .*? CRLfile: \S+/g;
const REMOTE = /^remote:/;

/** Every occurrence of a secret that is long enough to be told from other text; of a short one those that are words. */
function occurrences(secret: string): RegExp {
  const literal = secret.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(secret.length < SHORT ? String.raw`(?<![\w-])${literal}(?![\w-])` : literal, 'g');
}

/**
 * What git said, as one stable line for a condition: no hints, no durations, no credentials. `secrets` are masked
 * wherever they occur.
 */
export function gitMessage(stderr: string, secrets: readonly string[] = []): string {
  const isHttp = HTTP_ERROR.test(stderr);
  const lines = stderr.split(/[\r\n]+/).filter((line) => !NOISE.test(line) && !(isHttp && REMOTE.test(line)));
  const masked = secrets
    .filter((secret) => secret !== '')
    .reduce((line, secret) => line.replaceAll(occurrences(secret), '***'), lines.join('; '));
  return masked
    .slice(0, MAX_READ)
    .replaceAll(UNVERIFIED, ' It has expired, or its CA is not trusted')
    .replaceAll(/ after \d+ ms/g, '')
    .replaceAll(/(\w+:\/\/)[^/@\s]+@/g, '$1')
    .slice(0, MAX_LENGTH);
}
