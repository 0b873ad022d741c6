import type { Application } from '../../api/v1alpha1/application.js';
import type { RevisionContent } from '../../api/v1alpha1/application-revision.js';
import { readContent } from '../../controllers/application/model/revisions/content.js';
import { revisionDifferences } from '../../controllers/read-model/revision-diff.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import type { Difference } from '../../controllers/runtime/pure/field-changes.js';
import { listed } from '../../controllers/runtime/pure/listed.js';
import { printJson } from '../../controllers/runtime/pure/lossless-json.js';
import { oneLine } from '../../controllers/runtime/pure/one-line.js';
import { readRevision, readRevisions, type Revision } from '../../controllers/preview/revisions.js';

/** Revisions that an error names. */
const NAMED = 20;

export interface Compared {
  readonly from: number;
  /** Undefined: that of the spec. */
  readonly to: number | undefined;
}

function shown(value: unknown): string {
  return value === undefined || value === null ? '(none)' : printJson(value);
}

/** A line for each field that differs, with both values. */
export function differenceLines(differences: readonly Difference[]): string[] {
  return differences.map(({ path, old, new: next }) => oneLine(`${path}: ${shown(old)} -> ${shown(next)}`));
}

/** What differs between two revisions, a line for each field. No value of a Secret is in a revision. */
export function revisionDiffLines(from: RevisionContent, to: RevisionContent): string[] {
  return differenceLines(revisionDifferences(from, to));
}

/** Throws if a revision is not kept. */
async function contentAt(kube: Kube, kept: readonly Revision[], number: number): Promise<RevisionContent> {
  const found = kept.find((each) => each.number === number);
  const content = found && readContent((await readRevision(kube, found))?.data);
  if (content !== undefined) return content;
  const numbers = kept.filter((each) => each !== found).map((each) => String(each.number));
  const others = numbers.length === 0 ? '' : `, only ${listed(numbers, NAMED)}`;
  throw new Error(`revision ${number} is not kept${others}`);
}

/** The differences between two revisions of an Application. Throws if one of them is not kept. */
export async function compareRevisions(kube: Kube, application: Application, compared: Compared): Promise<string[]> {
  const kept = await readRevisions(kube, application);
  const to = compared.to ?? application.status?.history?.revision ?? kept[0]?.number;
  if (kept.length === 0 || to === undefined)
    throw new Error('it keeps no revisions: set spec.revisionHistoryLimit or spec.rollout before the next change');
  const contents = [await contentAt(kube, kept, compared.from), await contentAt(kube, kept, to)] as const;
  return revisionDiffLines(...contents);
}
