import type { DestinationView } from '#queries/views/application-view.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import type { DestinationTree } from '#queries/views/tree-view.js';

/** What there is to say of a branch besides its objects. */
export interface BranchNote {
  readonly kind: 'waiting' | 'problem' | 'fact';
  readonly text: string;
}

export interface BranchRead {
  /** Undefined: not read yet, or not there. */
  readonly tree: DestinationTree | undefined;
  readonly isReading: boolean;
  /** True once the server said something. */
  readonly isRead: boolean;
  /** Why the server said nothing; empty if it did. */
  readonly problem: string;
}

function fact(text: string): BranchNote[] {
  return [{ kind: 'fact', text }];
}

function problem(text: string): BranchNote[] {
  return text === '' ? [] : [{ kind: 'problem', text }];
}

function notesOfTree({ problem: notRead, objects, more }: DestinationTree): BranchNote[] {
  const isEmpty = objects.length === 0 && notRead === '';
  return [
    ...problem(notRead),
    ...(isEmpty ? fact('The release has no objects.') : []),
    ...(more > 0 ? fact(`and ${more} more objects, which are not read`) : []),
  ];
}

/** Why a destination is as it is; empty if the Application has only this one, and has said it. */
export function unsaidMessage(
  { message }: Pick<DestinationView, 'message'>,
  { said, destinations }: { readonly said: string; readonly destinations: number },
): string {
  return destinations === 1 && said.includes(message) ? '' : causeFirst(message);
}

/** Never empty where there is no object to show. */
export function destinationNotes({ cluster, child }: DestinationView, read: BranchRead): BranchNote[] {
  if (cluster === '') return fact('The status does not name its cluster yet.');
  if (child === '') return fact('Nothing is deployed yet.');
  if (read.tree !== undefined) return [...problem(read.problem), ...notesOfTree(read.tree)];
  if (read.isReading) return [{ kind: 'waiting', text: `Reading ${cluster} …` }];
  return read.problem === '' && read.isRead ? fact('It is not there any more.') : problem(read.problem);
}
