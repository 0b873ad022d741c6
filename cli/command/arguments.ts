import { InvalidArgumentError, Option } from 'commander';
import { parseRevision } from '#controllers/application/model/spec/history.js';
import { objectName } from '#manager/option-values.js';
import { parseDuration } from '#lib/duration.js';

const LONGEST_MS = 24 * 3_600_000;

/** Reads the value of a flag; where `read` finds none in the text, the error says what it must be. */
export function argument<T>(read: (text: string) => T | undefined, what: string): (text: string) => T {
  return (text) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`must be ${what}.`);
  };
}

/** The values of a flag that may be repeated, each read as that of one that may not. */
export function repeated<T>(read: (text: string) => T): (text: string, before?: readonly T[]) => T[] {
  return (text, before = []) => [...before, read(text)];
}

/** A whole number between two, or one of them. */
export function numberArgument(least: number, most: number, what = 'a number'): (text: string) => number {
  const read = (text: string): number | undefined => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  };
  return argument(read, `${what} from ${least} to ${most}`);
}

/** Empty, a path or a name would stand for another one. */
const anyText = (text: string): string | undefined => (text === '' ? undefined : text);

export const namespaceArgument = argument(objectName, 'the name of a namespace');
export const objectArgument = argument(objectName, 'the name of an object');
export const pathArgument = argument(anyText, 'a path');
export const nameArgument = argument(anyText, 'a name');
export const contextArgument = argument(anyText, 'the name of a context');
/** NAME, or NAMESPACE/NAME. */
export const clusterArgument = argument(anyText, 'the name of a cluster');
export const revisionArgument = argument(parseRevision, 'the number of a revision');

/** The number of a revision, or its ID, as `status.rollout.id` has it. */
export const revisionIdArgument = argument((text) => {
  if (/^[0-9]+-[0-9a-z]+$/.test(text)) return { id: text };
  const revision = parseRevision(text);
  return revision && { revision };
}, 'the number or the ID of a revision, e.g. 7 or 7-5c2e9a1f');

/** How long to wait, in milliseconds. */
export const timeoutArgument = argument((text) => {
  const ms = parseDuration(text);
  return ms !== undefined && ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}, 'a duration of up to 24h, e.g. 90s or 5m');

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
