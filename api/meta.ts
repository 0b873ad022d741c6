/**
 * The vocabulary of Kubernetes itself, shared by the API types and the runtime.
 * Nothing here is Fairlead's own; with api/core.ts it is all of `api/` that `runtime` may import.
 */

/** Names one served resource: enough to build a URL and to print an object. */
export interface ResourceType {
  /** API group; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Plural, lower case, as in the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** True: an object that lacks a `spec`, which its CRD may allow, is read as one whose `spec` is empty. */
  readonly hasSpec?: boolean;
}

/** Group and version of an `apiVersion`; the core group is empty. */
export function splitApiVersion(apiVersion: string): Pick<ResourceType, 'group' | 'version'> {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}

/** Inverse of `splitApiVersion`. */
export function apiVersionOf({ group, version }: Pick<ResourceType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** A type whose objects are in namespaces, unless `options` say otherwise. */
export function resourceType(
  apiVersion: string,
  kind: string,
  plural: string,
  options: Partial<Pick<ResourceType, 'namespaced' | 'hasSpec'>> = {},
): ResourceType {
  return { ...splitApiVersion(apiVersion), kind, plural, namespaced: true, ...options };
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which fields of an object one writer owns. */
export interface ManagedFieldsEntry {
  manager?: string;
  /** `Apply` or `Update`. */
  operation?: string;
  subresource?: string;
  apiVersion?: string;
  fieldsV1?: unknown;
}

/** Object metadata as the API server returns it; fields we never read are kept by the JSON, not by this type. */
export interface ObjectMeta {
  name: string;
  namespace?: string | undefined;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any Kubernetes object: typed where a rule looks, opaque elsewhere. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object of which nothing but the metadata is known: what engines carry around. */
export interface Unstructured extends KubeObject {
  [field: string]: unknown;
}

/** One condition as the Kubernetes API conventions define it. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** PascalCase fact. */
  reason: string;
  /** For people; never holds a time, a counter or a resourceVersion, so that it is stable when nothing changes. */
  message: string;
  /** RFC 3339, seconds; when `status` last changed. */
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** Where an object lives. `namespace` is absent for cluster-scoped objects. */
export interface ObjectRef {
  name: string;
  namespace?: string | undefined;
}
