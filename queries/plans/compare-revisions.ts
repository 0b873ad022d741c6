import type { Application, RevisionContent } from '#api/v1alpha1/application.js';
import { readContent } from '#controllers/application/model/destinations/validate.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Difference } from '#lib/json/field-changes.js';
import { listed } from '#lib/text/text.js';
import { revisionDifferences } from '../views/revision-diff.js';
import { readRevision, readRevisions, type Revision } from './revisions.js';

/** Revisions that a refusal names. */
const NAMED = 20;

export interface Compared {
  readonly from: number;
  /** Undefined: that of the spec. */
  readonly to: number | undefined;
}

/** What differs, or why that cannot be said. */
export type Comparison = { readonly differences: readonly Difference[] } | { readonly problem: string };

async function contentAt(
  read: (revision: Revision) => ReturnType<typeof readRevision>,
  kept: readonly Revision[],
  number: number,
): Promise<RevisionContent | string> {
  const found = kept.find((each) => each.number === number);
  const content = found && readContent((await read(found))?.data);
  if (content !== undefined) return content;
  const numbers = kept.filter((each) => each !== found).map((each) => String(each.number));
  const others = numbers.length === 0 ? '' : `, only ${listed(numbers, NAMED)}`;
  return `revision ${number} is not kept${others}`;
}

/** The differences between two revisions of an Application that are kept. */
export async function compareRevisions(
  kube: Kube,
  application: Application,
  compared: Compared,
  signal?: AbortSignal,
): Promise<Comparison> {
  const kept = await readRevisions(kube, application, signal);
  const to = compared.to ?? application.status?.history?.revision ?? kept[0]?.number;
  if (kept.length === 0 || to === undefined) {
    return { problem: 'it keeps no revisions: set spec.revisionHistoryLimit or spec.rollout before the next change' };
  }
  const read = (revision: Revision): ReturnType<typeof readRevision> => readRevision(kube, revision, signal);
  const [before, after] = [await contentAt(read, kept, compared.from), await contentAt(read, kept, to)];
  if (typeof before === 'string') return { problem: before };
  return typeof after === 'string' ? { problem: after } : { differences: revisionDifferences(before, after) };
}
