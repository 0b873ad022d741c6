import { InvalidArgumentError } from 'commander';
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
