import omit from 'lodash/omit.js';
import sortBy from 'lodash/sortBy.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';

/** `plural.group/version`; one of the cluster ends with `!`. */
function typeOf(text: string): ResourceType {
  const [, plural = '', group = '', version = '', cluster] = /^([^.]+)\.?([^/]*)\/(\w+)(!?)$/.exec(text) ?? [];
  return { group, version, kind: plural, plural, namespaced: cluster === '' };
}

const ALWAYS = [
  ...['configmaps/v1', 'secrets/v1', 'services/v1', 'serviceaccounts/v1', 'persistentvolumeclaims/v1'],
  ...['deployments.apps/v1', 'statefulsets.apps/v1', 'jobs.batch/v1', 'roles.rbac.authorization.k8s.io/v1'],
];

/** What the server makes up for each object. */
const MADE_UP = /"clusterIPs?":("[\d.]+"|\["[\d.]+"\])/g;

interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly apiVersion: string;
  readonly fieldsV1: unknown;
}

const CONTROLLERS = 'kube-controller-manager';
/** Of Flux, and of us. */
const MANAGER = 'kustomize-controller';

/**
 * Who owns which fields; times, and what a controller of Kubernetes reports, are no matter of an engine. What the engine
 * itself owns is left out: Flux reads manifests as Go types, which drop empty fields and set others to their defaults.
 */
function owners({ metadata }: Unstructured): unknown {
  // Part of the metadata of every object of Kubernetes.
  const entries = (metadata.managedFields ?? []) as readonly ManagedFields[];
  const kept = entries.filter(({ subresource, manager }) => subresource === undefined && manager !== CONTROLLERS);
  return sortBy(
    kept.map((entry) => omit(entry, entry.manager === MANAGER ? ['time', 'fieldsV1'] : ['time'])),
    ({ manager, operation }) => `${manager} ${operation}`,
  );
}

function comparable(object: Unstructured): unknown {
  const { uid = 'none', name, namespace, labels, annotations, finalizers } = object.metadata;
  const metadata = { name, namespace, labels, annotations, finalizers, owners: owners(object) };
  const text = JSON.stringify({ ...omit(object, 'status', 'metadata'), metadata });
  return JSON.parse(text.replaceAll(uid, 'uid').replace(MADE_UP, '"clusterIP":"IP"'));
}

/** Of every namespace, and what is other on each cluster. */
const EACH_ITS_OWN = ['kube-root-ca.crt', 'default', 'kubeconfig-of-cluster'];

/** What every namespace has, what another object owns, and what only ends yet. */
function isOfKubernetes({ metadata }: Unstructured): boolean {
  const isEnding = metadata.deletionTimestamp !== undefined;
  return isEnding || metadata['ownerReferences'] !== undefined || EACH_ITS_OWN.includes(metadata.name);
}

/** None if the kind is not there, or not any more. */
async function itemsOf(kube: Kube, type: ResourceType): Promise<readonly Unstructured[]> {
  try {
    return (await listAll<Unstructured>(kube, type)).items;
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === 404) return [];
    throw error;
  }
}

/** An object, and which one it is: another `version` is a write. */
export interface Live {
  readonly id: string;
  readonly version: string;
  readonly content: unknown;
}

/** Objects of namespaces, and those of the cluster whose names contain `name`. */
interface Scope {
  readonly namespaces: readonly string[];
  readonly name: string;
}

export async function liveObjects(
  kube: Kube,
  { namespaces, name }: Scope,
  kinds: readonly string[] = [],
): Promise<Live[]> {
  const types = [...ALWAYS, ...kinds].map(typeOf);
  const lists = await Promise.all(types.map((type) => itemsOf(kube, type)));
  return lists.flatMap((items, index) =>
    items
      .filter(({ metadata }) =>
        metadata.namespace === undefined ? metadata.name.includes(name) : namespaces.includes(metadata.namespace),
      )
      .filter((item) => !isOfKubernetes(item))
      .map((item) => ({
        id: [types[index]?.plural, item.metadata.namespace, item.metadata.name].join('/'),
        version: `${item.metadata.uid ?? ''} ${item.metadata.resourceVersion ?? ''}`,
        content: comparable(item),
      })),
  );
}

/** How long something took. */
const DURATION = /\b(\d+h)?(\d+m)?\d+(\.\d+)?(ms|s)\b/g;

/** What a user reads in the status; why something fails is said in words of our own. */
export function statusOf({ status }: Kustomization): unknown {
  const conditions = (status?.conditions ?? []).map(({ type, status: value, reason, message }) => ({
    ...{ type, status: value, reason },
    ...(type === 'Ready' && value === 'True' ? { message: message.replace(DURATION, 'TIME') } : {}),
  }));
  return {
    conditions: sortBy(conditions, 'type'),
    inventory: sortBy(status?.inventory?.entries ?? [], 'id'),
    lastAppliedRevision: status?.lastAppliedRevision,
    lastAttemptedRevision: status?.lastAttemptedRevision,
    observedGeneration: status?.observedGeneration,
  };
}
