import { InvalidArgumentError, Option } from 'commander';
import { parseRevision } from '#controllers/application/model/spec/history.js';
import { objectName } from '#manager/option-values.js';
import { parseDuration } from '#lib/duration.js';

const LONGEST_MS = 24 * 3_600_000;

/** The value of a flag that names a namespace. */
export function namespaceArgument(text: string): string {
  const name = objectName(text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError('must be the name of a namespace.');
}

/** The value of a flag that names a file or folder: empty it would stand for another one. */
export function pathArgument(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must be a path.');
}

/** The value of a flag that names a cluster: NAME, or NAMESPACE/NAME. */
export function clusterArgument(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must be the name of a cluster.');
}

/** The value of a flag that names a context of a kubeconfig. */
export function contextArgument(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must be the name of a context.');
}

/** The value of a flag that names a revision. */
export function revisionArgument(text: string): number {
  const revision = parseRevision(text);
  if (revision !== undefined) return revision;
  throw new InvalidArgumentError('must be the number of a revision.');
}

/** The value of a flag that says how long to wait, in milliseconds. */
export function timeoutArgument(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0 && ms <= LONGEST_MS) return ms;
  throw new InvalidArgumentError('must be a duration of up to 24h, e.g. 90s or 5m.');
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

/**
 * The URL of a mirror. Throws when it is none, would be read without TLS, or has more than an address: it is printed
 * later. The error does not quote it, because it may have a password; one of commander would.
 */
export function mirrorUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && isSafe(url) && !/[@?#]/.test(text)) return text;
  throw new Error('--download must be the https URL of a mirror, without user, query and fragment, or left out');
}

/** `--download [mirror]`: fetch released programs. By default, they are compiled if they cannot be fetched. */
export function downloadOption(): Option {
  const description =
    'fetch the released kube-apiserver, etcd, helm and so on, and compile none that is released; from their projects or ' +
    'from HOST/PATH of every address below the URL of a mirror. Default: what cannot be fetched is compiled';
  return new Option('--download [mirror]', description).argParser(mirrorUrl);
}

/** `--compile`: compile all programs instead of fetching releases. */
export function compileOption(): Option {
  return new Option('--compile', 'compile these programs with Go, and fetch none of them').conflicts('download');
}
