import { RELEASE_NAME_ANNOTATION } from '#api/flux/annotations.js';
import type { Unstructured, ManagedFieldsEntry } from '#api/meta.js';
import { ownsField } from '#lib/kube/managed-fields.js';
import { withMetadata, withSecretData } from '#engine/flux/model/manifests.js';
import type { ReleaseRecord, StoredRevision } from './release.js';

/** Flux's own manager: a hand-over leaves no co-owned fields. */
export const FIELD_MANAGER = 'helm-controller';

/** Which release an object belongs to. */
export interface ReleaseName {
  readonly releaseName: string;
  readonly namespace: string;
}

const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'Helm' };

function annotationsOf({ releaseName, namespace }: ReleaseName): Record<string, string> {
  return { [RELEASE_NAME_ANNOTATION]: releaseName, 'meta.helm.sh/release-namespace': namespace };
}

/** The object as it is applied: with the marks by which Helm knows its own. */
export function withOwnership(object: Unstructured, release: ReleaseName): Unstructured {
  return withMetadata(withSecretData(object), { labels: MANAGED_BY, annotations: annotationsOf(release) });
}

function wrongMarks(live: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): string[] {
  return Object.entries(wanted).flatMap(([key, value]) => {
    const [shown, must] = [JSON.stringify(key), JSON.stringify(value)];
    const found = live[key];
    if (found === value) return [];
    return found === undefined
      ? [`missing key ${shown}: must be set to ${must}`]
      : [`key ${shown} must equal ${must}: current value is ${JSON.stringify(found)}`];
  });
}

/** Whose marks the live object carries: a release's own only with all of them, another's with any other one. */
export function marksOf({ metadata }: Unstructured, release: ReleaseName): 'own' | 'none' | 'other' {
  const found = Object.entries(annotationsOf(release)).flatMap(([key, own]) => {
    const mark = metadata.annotations?.[key];
    return mark === undefined ? [] : [mark === own];
  });
  if (found.includes(false)) return 'other';
  return found.length === Object.keys(annotationsOf(release)).length ? 'own' : 'none';
}

/** Why the live object is not this release's, in Helm's words; undefined when it is. */
export function ownershipConflict({ kind, metadata }: Unstructured, release: ReleaseName): string | undefined {
  const labels = wrongMarks(metadata.labels, MANAGED_BY).map((error) => `label validation error: ${error}`);
  const annotations = wrongMarks(metadata.annotations, annotationsOf(release));
  const errors = [...labels, ...annotations.map((error) => `annotation validation error: ${error}`)];
  if (errors.length === 0) return undefined;
  const place = metadata.namespace === undefined ? '' : ` in namespace ${JSON.stringify(metadata.namespace)}`;
  const object = `${kind} ${JSON.stringify(metadata.name)}${place}`;
  return `${object} exists and cannot be imported into the current release: invalid ownership metadata; ${errors.join('; ')}`;
}

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
