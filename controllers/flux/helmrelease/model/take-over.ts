import { RELEASE_NAME_ANNOTATION } from '#api/flux/annotations.js';
import type { ManagedFieldsEntry, Unstructured } from '#api/meta.js';
import { ownsField } from '#controllers/runtime/pure/managed-fields.js';
import { marksOf, type ReleaseName } from './ownership.js';
import type { ReleaseRecord, StoredRevision } from './release.js';

/**
 * `helm` and what embeds it are named after it (helm3, helm-controller, terraform-provider-helm ...); the first
 * versions of Helm 3 said no name at all.
 */
const NAMED_AFTER_HELM = /helm|^Go-http-client$/i;
const MARK = ['f:metadata', 'f:annotations', `f:${RELEASE_NAME_ANNOTATION}`];

/** True for an entry by which Helm, in whatever program, wrote. */
function isWrittenByHelm({ manager = '' }: ManagedFieldsEntry): boolean {
  return NAMED_AFTER_HELM.test(manager);
}

/**
 * True for an entry by which Helm wrote an object of this very release: with its mark, as it writes every object.
 * Users and autoscalers do not set it: what they own stays.
 */
export function isTakenOver(entry: ManagedFieldsEntry, live: Unstructured, release: ReleaseName): boolean {
  return isWrittenByHelm(entry) && ownsField(entry, MARK) && marksOf(live, release) === 'own';
}

/** Likewise for a CRD of the chart, which Helm leaves without marks: those of another release say whose it is. */
export function isTakenOverCrd(entry: ManagedFieldsEntry, live: Unstructured, release: ReleaseName): boolean {
  return isWrittenByHelm(entry) && marksOf(live, release) !== 'other';
}

/** True when somebody else than an engine made one of these revisions, or wrote its objects from the client's side. */
export function isMadeByOthers(
  revisions: readonly { readonly record: ReleaseRecord; readonly revision: StoredRevision }[],
): boolean {
  return revisions.some(({ record, revision }) => record.apply_method !== 'ssa' || !revision.untouched);
}
