import omit from 'lodash/omit.js';
import type { KubeObject } from '#api/meta.js';
import { isMap } from '#lib/plain.js';
import type { Adapter, Cluster, Readiness } from './cluster.js';

/** What lies at a path of maps in an object that others write; undefined where there is none. Never throws. */
export function fieldAt(object: unknown, ...path: readonly string[]): unknown {
  let found: unknown = object;
  for (const part of path) {
    if (!isMap(found) || !Object.hasOwn(found, part)) return undefined;
    found = found[part];
  }
  return found;
}

/** The text at a path; undefined where there is none, or an empty one. */
export function textAt(object: unknown, ...path: readonly string[]): string | undefined {
  const found = fieldAt(object, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** The list at a path; empty where there is none. */
export function listAt(object: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldAt(object, ...path);
  return Array.isArray(found) ? found : [];
}

/** Of kinds that report no readiness: all that is known is that the object exists. */
const SAYS_NOTHING: Readiness = { state: 'Unknown', message: '' };

/** The cluster that an object in a namespace describes, with what the object says besides its metadata. */
export function clusterOfObject(
  { metadata }: KubeObject,
  kind: Adapter['kind'],
  known: Pick<Cluster, 'credential'> & Partial<Cluster>,
): Cluster {
  const { namespace = '', name, labels = {}, annotations = {} } = metadata;
  const nothing = { facts: {}, kubernetesVersion: undefined, readiness: SAYS_NOTHING, isPaused: false, isHost: false };
  return { id: { ...kind, namespace, name }, labels, annotations, ...nothing, ...known };
}

/** Characters of a message; what others write there may be long. */
const MAX_MESSAGE = 1_024;

/** How ready a cluster is by one of its conditions; the first list that has it decides. */
export function readinessBy(type: string, ...lists: readonly (readonly unknown[])[]): Readiness {
  const condition = lists.flat().find((each) => fieldAt(each, 'type') === type);
  if (condition === undefined) return { state: 'Unknown', message: `it reports no condition ${type} yet` };
  const status = fieldAt(condition, 'status');
  if (status === 'True') return { state: 'Ready', message: '' };
  const message = textAt(condition, 'message') ?? textAt(condition, 'reason') ?? `its condition ${type} is not True`;
  return { state: status === 'False' ? 'NotReady' : 'Unknown', message: message.slice(0, MAX_MESSAGE) };
}

/** kubectl's copy of the object: of a Secret it holds the credential. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Longer annotations are documents of other tools. */
const MAX_ANNOTATION = 8_192;

/**
 * The object without annotations that values must not read, which the inventory does not keep: kubectl's copy of the
 * object, and those that are too long to be facts.
 */
export function withReadableAnnotations<T extends KubeObject>(object: T): T {
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(
    ([key, value]) => key !== LAST_APPLIED && value.length <= MAX_ANNOTATION,
  );
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(annotations) } };
}

/** Fields that change without a change of what the object describes. */
const UNSTABLE = [
  ...['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation', 'status.observedGeneration'],
  ...['status.conditions', 'status.v1beta2', 'status.deprecated'],
];

/** An object as a fact: without what changes on its own. */
export function stableObject(object: object): object {
  return omit(object, UNSTABLE);
}
