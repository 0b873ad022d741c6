import sortBy from 'lodash/sortBy.js';
import sumBy from 'lodash/sumBy.js';
import uniq from 'lodash/uniq.js';
import { DRY_RUN_ACTIONS, type DryRun, type PlannedChange } from '#api/dry-run.js';
import { changeSet, LIMITS, type Limits } from '#engine/dry-run/change-set.js';

/** Nothing is left out but what nobody reads: a summary of a million fields. */
export const PRINTED: Limits = {
  ...LIMITS,
  ...{ objects: Infinity, bytes: Infinity, fields: 500, value: 2_000, path: 1_000 },
};

/** What becomes of the children of one Application. */
export interface DiffPart {
  /** With its namespace. */
  readonly name: string;
  readonly changes: readonly PlannedChange[];
  /** Number of children that stay as they are. */
  readonly unchanged: number;
  /** What users should know. */
  readonly notes: readonly string[];
  /** What is not compared, and why. */
  readonly problems: readonly string[];
}

/** What becomes of the children of all Applications of some files. */
export interface FileDiff extends Pick<DiffPart, 'notes' | 'problems'> {
  /** By Application, those of which something changes, the worst first. */
  readonly changes: readonly { readonly name: string; readonly changes: DryRun }[];
  /** Of all. */
  readonly summary: DryRun['summary'];
}

function listing(changes: readonly PlannedChange[], unchanged: number): DryRun {
  return changeSet({ changes, unchanged, observedGeneration: 0, now: '' }, undefined, PRINTED);
}

export function fileDiffOf(parts: readonly DiffPart[]): FileDiff {
  const all = parts.map(({ name, changes, unchanged }) => ({ name, changes: listing(changes, unchanged) }));
  // The first one has the worst action.
  const rank = ({ objects: [worst] = [] }: DryRun): number =>
    worst === undefined ? Infinity : DRY_RUN_ACTIONS.indexOf(worst.action);
  const differing = all.filter(({ changes }) => changes.objects !== undefined);
  const objects = parts.flatMap(({ changes }) => changes);
  return {
    changes: sortBy(differing, ({ changes }) => rank(changes)),
    summary: listing(objects, sumBy(parts, 'unchanged')).summary,
    notes: uniq(parts.flatMap(({ notes }) => notes)),
    problems: parts.flatMap(({ problems }) => problems),
  };
}
