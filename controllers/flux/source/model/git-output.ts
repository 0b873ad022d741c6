const MAX_LENGTH = 600;
const NOISE = /^(warning|hint):|^\s*$/;

/**
 * What git said, as one stable line for a condition: no hints, no durations, no credentials. `secrets` are masked
 * wherever they occur.
 */
export function gitMessage(stderr: string, secrets: readonly string[] = []): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => !NOISE.test(line));
  const text = lines
    .join('; ')
    .replaceAll(/ after \d+ ms/g, '')
    .replaceAll(/(\w+:\/\/)[^/@\s]+@/g, '$1');
  const masked = secrets
    .filter((secret) => secret !== '')
    .reduce((line, secret) => line.replaceAll(secret, '***'), text);
  return masked.slice(0, MAX_LENGTH);
}
