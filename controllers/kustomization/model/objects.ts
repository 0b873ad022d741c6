import isMatch from 'lodash/isMatch.js';
import { ORIGIN_NAME_LABEL, RELEASE_NAME_ANNOTATION } from '#api/flux/annotations.js';
import type { Kustomization, KustomizationSpec } from '#api/flux/kustomization.js';
import type { Unstructured } from '#api/meta.js';
import { ownsField } from '#lib/kube/managed-fields.js';
import { isMap } from '#lib/plain.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { withMetadata, withSecretData } from '#engine/flux/model/manifests.js';
import { isPinned } from '#engine/flux/model/refusal.js';
import type { Target } from './types.js';

const GROUP = 'kustomize.toolkit.fluxcd.io';
/** On every object that a Kustomization keeps: its name, */
export const NAME_LABEL = `${GROUP}/name`;
/** and its namespace. */
export const NAMESPACE_LABEL = `${GROUP}/namespace`;

/** Of one build. */
export const MAX_OBJECTS = 5_000;

export interface Owner extends Target {
  readonly name: string;
  readonly namespace: string;
}

export function ownerOf({ metadata, spec: { targetNamespace } }: Kustomization): Owner {
  const { name, namespace = '', creationTimestamp: createdAt } = metadata;
  return { name, namespace, targetNamespace, createdAt };
}

type Metadata = Pick<Unstructured['metadata'], 'labels' | 'annotations'>;

function says({ metadata }: { readonly metadata: Metadata }, key: string, value: string): boolean {
  const name = `${GROUP}/${key}`;
  const given: readonly unknown[] = [metadata.labels?.[name], metadata.annotations?.[name]];
  // What is no text is for the server to refuse.
  return given.some((each) => typeof each === 'string' && each.toLowerCase() === value);
}

/** What an object says of how it is applied, live or in the source. */
export function isIgnored(object: Unstructured): boolean {
  return says(object, 'reconcile', 'disabled') || says(object, 'ssa', 'ignore');
}

/** True for an object that can be created by a request that refuses whatever exists. */
export function isCreatable(object: Unstructured): boolean {
  return !isIgnored(object) && !isPinned(object);
}

export function isOnlyCreated(object: Unstructured): boolean {
  return says(object, 'ssa', 'ifnotpresent');
}

/** Fields that others set by hand stay theirs. */
export function isMerged(object: Unstructured): boolean {
  return says(object, 'ssa', 'merge');
}

export function isForced(object: Unstructured): boolean {
  return says(object, 'force', 'enabled');
}

/** Never pruned. */
export function isKept(object: Unstructured): boolean {
  return says(object, 'prune', 'disabled') || isIgnored(object);
}

/** True unless it says that its variables are none. */
export function isTemplate(object: Unstructured): boolean {
  return !says(object, 'substitute', 'disabled');
}

/** True when a Helm release has taken the object over: the release's mark is not one that `manager` applied. */
function isOfRelease({ metadata }: Unstructured, manager: string): boolean {
  const { annotations, labels, managedFields = [] } = metadata;
  const own = managedFields.filter((entry) => entry.manager === manager && entry.operation === 'Apply');
  const isForeign = (field: 'annotations' | 'labels', key: string): boolean =>
    !own.some((entry) => ownsField(entry, ['f:metadata', `f:${field}`, `f:${key}`]));
  return (
    (annotations?.[RELEASE_NAME_ANNOTATION] !== undefined && isForeign('annotations', RELEASE_NAME_ANNOTATION)) ||
    (labels?.[ORIGIN_NAME_LABEL] !== undefined && isForeign('labels', ORIGIN_NAME_LABEL))
  );
}

/** Whose marks the live object has; `manager`: the field manager of Kustomizations. */
export function marksOf(live: Unstructured, { name, namespace }: Owner, manager: string): 'own' | 'none' | 'other' {
  if (isOfRelease(live, manager)) return 'other';
  const { metadata } = live;
  const found = [metadata.labels?.[NAME_LABEL], metadata.labels?.[NAMESPACE_LABEL]];
  if (found[0] === name && found[1] === namespace) return 'own';
  return found.every((label) => label === undefined) ? 'none' : 'other';
}

/** How many objects a file has at least: a list has more. */
export function countObjects(text: string): number {
  return text.match(/^(?:kind:|\{)/gm)?.length ?? 0;
}

function isObject(value: unknown): value is Unstructured {
  return isMap(value) && typeof value['kind'] === 'string' && typeof value['apiVersion'] === 'string';
}

/** The objects that kustomize printed, in its order. Throws what parseYaml throws. */
export function objectsOf(text: string): Unstructured[] {
  return parseYamlDocuments(text)
    .filter(isObject)
    .map((object) => {
      // As the API server reads it: what is null or empty is not set.
      const { namespace, ...metadata } = { ...object.metadata };
      return { ...object, metadata: (namespace ?? '') === '' ? metadata : { ...metadata, namespace } };
    });
}

function ownerLabels({ name, namespace }: Owner): Record<string, string> {
  return { [NAME_LABEL]: name, [NAMESPACE_LABEL]: namespace };
}

/** The object as its owner applies it. */
export function owned(object: Unstructured, owner: Owner, spec: KustomizationSpec): Unstructured {
  return withSecretData(withMetadata(withMetadata(object, spec.commonMetadata ?? {}), { labels: ownerLabels(owner) }));
}

/** The object with the labels of its owner, even if labels are ignored: unless the live one is marked as another's. */
export function withOwnerLabels(object: Unstructured, live: Unstructured, owner: Owner): Unstructured {
  const labels = ownerLabels(owner);
  const isOthers = !isMatch({ ...labels, ...live.metadata.labels }, labels);
  return isOthers || isMatch(object.metadata.labels ?? {}, labels) ? object : withMetadata(object, { labels });
}

/** True for a Secret that sops encrypted, and that is not meant to stay so. */
export function isEncrypted(object: Unstructured): boolean {
  const isSecret = object.kind === 'Secret' && object.apiVersion === 'v1';
  return isSecret && isMap(object['sops']) && !says(object, 'decrypt', 'disabled');
}
