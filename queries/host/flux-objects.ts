import pLimit from 'p-limit';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { BACKENDS } from '#controllers/application/model/backends/index.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { isNotFound } from '#lib/errors.js';
import { describeObject, objectPath } from '#lib/net/urls.js';
import { type Kube, listAll, type ListQuery } from '#runtime/client/kube.js';
import type { DestinationView } from '../answers/application.js';
import type { FluxObjectTree, FluxObjectView, NeedView } from '../answers/flux-object.js';
import { eachDestination } from '../members/each-destination.js';
import { METADATA_ONLY } from '../members/object-states.js';
import { readDestination } from '../members/read-destination.js';
import { objectTree } from '../views/tree-view.js';
import { isForbidden } from './clusters.js';
import { fluxObject, needView, type Reference, referencesOf } from './model/flux-object.js';

const LIMIT_MS = 10_000;
const AT_ONCE = 8;

/** HelmReleases and Kustomizations, as far as the user may list them. */
export interface FluxObjects {
  readonly objects: readonly Child[];
  /** Kinds that the user may not list. */
  readonly unread: readonly string[];
}

async function listKind(kube: Kube, type: ResourceType, query: ListQuery): Promise<FluxObjects> {
  try {
    const { items } = await listAll<Child>(kube, type, query);
    return { objects: items.map((item) => fluxObject(item, type)), unread: [] };
  } catch (error: unknown) {
    if (isForbidden(error)) return { objects: [], unread: [type.kind] };
    // Flux may be installed without one of its controllers, and then without the CRD.
    if (isNotFound(error)) return { objects: [], unread: [] };
    throw error;
  }
}

/** Those of Applications, too. */
export async function listFluxObjects(kube: Kube, query: ListQuery): Promise<FluxObjects> {
  const kinds = await Promise.all(BACKENDS.map(({ resource }) => listKind(kube, resource, query)));
  return { objects: kinds.flatMap(({ objects }) => objects), unread: kinds.flatMap(({ unread }) => unread) };
}

/** Without content: that of a Secret or ConfigMap is not needed here. Undefined: it does not exist. */
async function exists(kube: Kube, { type, namespace, name }: Reference): Promise<KubeObject | undefined> {
  const path = objectPath(type, { namespace, name });
  try {
    // Metadata of an object.
    return (await kube.read(path, { accept: METADATA_ONLY, timeoutMs: LIMIT_MS })) as KubeObject;
  } catch (error: unknown) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function readNeed(kube: Kube, reference: Reference): Promise<NeedView> {
  const { field, kind, type, namespace, name, isReconciled } = reference;
  try {
    const found = isReconciled
      ? await kube.get<KubeObject>(type, { namespace, name }, { timeoutMs: LIMIT_MS })
      : await exists(kube, reference);
    return needView(reference, found);
  } catch (error: unknown) {
    const why = error instanceof Error ? error.message : String(error);
    const message = isForbidden(error) ? 'you may not read it' : `not read: ${why}`;
    return { field, kind, namespace, name, state: 'Unknown', message };
  }
}

/** The needs of a HelmRelease or Kustomization, in the order of its fields; what cannot be read is `Unknown`. */
export async function readNeeds(kube: Kube, child: Child): Promise<NeedView[]> {
  const limit = pLimit(AT_ONCE);
  return Promise.all(referencesOf(child).map((reference) => limit(readNeed, kube, reference)));
}

/** As if it were that of an Application. */
function destinationOf(view: FluxObjectView): DestinationView {
  const { kind, namespace, name, cluster, targetNamespace, release, state, revision, message } = view;
  const childRef = { kind, namespace, name };
  const child = describeObject(kind, { namespace, name });
  return { name, cluster, namespace: targetNamespace, release, child, ...{ childRef, state, revision, message } };
}

/** A HelmRelease or Kustomization and what runs on its cluster, read as by `readTree`. */
export async function readFluxObjectTree(host: Kube, view: FluxObjectView): Promise<FluxObjectTree> {
  const [found] = await eachDestination(
    { host, namespace: view.namespace },
    [destinationOf(view)],
    (destination, reader) => readDestination(destination, reader, { seeksFailingPods: true }),
  );
  const { problem = '', more = 0, ...rest } = found ?? { objects: [], owned: [] };
  return { ...view, objects: objectTree(rest), problem, more };
}
