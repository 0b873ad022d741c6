import { randomUUID } from 'node:crypto';
import { crdResource, namespaceResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { DEMO_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { BACKENDS } from '#controllers/application/model/backends/index.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { until } from '#runtime/until.js';
import { oneLine } from '#lib/text/text.js';
import { installedCrds, untilEstablished, type Crd } from '../install/crds.js';
import { readCrds } from '../install/package.js';
import { countObjects, resourceOf } from '../install/release.js';
import type { Say } from '../output/progress.js';
import { untilDeleted } from '../install/until-deleted.js';
import { DEMO_MANAGER, isOwnCrd, isOwnNamespace, selectorOfMark, type DemoName, type Mark } from './mark.js';
import type { Target } from './model/placement.js';
import { installedController } from './refusals.js';
import { kubeOf, type UserClusters } from './user-clusters.js';

const LEAVE = { timeoutMs: 120_000, intervalMs: 500 };
/** How many objects a message names. */
const NAMED = 3;

interface NewNamespace {
  readonly name: string;
  readonly mark: Mark;
}

/**
 * Its UID once it is there, even if nobody heard the answer. Until it is annotated with its UID, a nonce tells it from a
 * namespace of somebody else who was quicker.
 */
async function createOnce(kube: Kube, { name, mark }: NewNamespace): Promise<string | undefined> {
  const nonce = randomUUID();
  const metadata = { name, labels: { ...mark }, annotations: { [DEMO_UID_ANNOTATION]: nonce } };
  try {
    const object: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata };
    return (await kube.create(namespaceResource, object)).metadata.uid;
  } catch (cause: unknown) {
    const live = await kube.get(namespaceResource, { name }).catch(() => {
      const wayOut = `see \`kubectl get namespace ${name}\``;
      throw new Error(`namespace ${name} may have been created in ${kube.server}, empty: ${wayOut}`, { cause });
    });
    if (live?.metadata.annotations?.[DEMO_UID_ANNOTATION] !== nonce) throw cause;
    return live.metadata.uid;
  }
}

async function createNamespace(kube: Kube, namespace: NewNamespace): Promise<void> {
  const { name } = namespace;
  const uid = await createOnce(kube, namespace);
  const body = { metadata: { uid, annotations: { [DEMO_UID_ANNOTATION]: uid } } };
  try {
    await kube.patch(namespaceResource, { name }, { type: 'merge', body });
  } catch (cause: unknown) {
    await kube.delete(namespaceResource, { name }, { uid }).catch(() => {
      const wayOut = `\`kubectl delete namespace ${name}\``;
      throw new Error(`namespace ${name} of ${kube.server} stays, empty: remove it with ${wayOut}`, { cause });
    });
    throw cause;
  }
}

/** Creates the namespace of the demo: of two demos at once, one fails here. */
export async function claimNamespace({ host, namespace, mark }: UserClusters): Promise<void> {
  await createNamespace(host.kube, { name: namespace, mark });
}

/** Creates the namespaces that the samples deploy to, so that they can be removed again. */
export async function createTargets(clusters: UserClusters, targets: readonly Target[]): Promise<void> {
  for (const target of targets) {
    await createNamespace(kubeOf(clusters, target), { name: target.namespace, mark: clusters.mark });
  }
}

/** Somebody else may have been quicker: what is there is left unchanged. */
function nothingIfExists(error: unknown): void {
  if (apiStatusOf(error)?.reason !== 'AlreadyExists') throw error;
}

/** Creates the CRDs that the cluster does not have; the others are left unchanged. */
export async function createCrds({ host: { kube }, mark }: UserClusters): Promise<void> {
  for (const crd of await readCrds()) {
    const labels = { ...crd.metadata.labels, ...mark };
    const object = { ...crd, metadata: { ...crd.metadata, labels } };
    // A manager of its own: whoever applies the CRD later is then seen, and keeps it.
    await kube.create(crdResource, object, { fieldManager: DEMO_MANAGER }).catch(nothingIfExists);
    await untilEstablished(kube, crd.metadata.name);
  }
}

/** How a removal is watched. */
export interface Removal {
  readonly say: Say;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

interface Kinds {
  readonly kube: Kube;
  readonly types: readonly ResourceType[];
  readonly namespace: string;
}

interface Left extends KubeObject {
  status?: { conditions?: { type: string; message: string }[] };
}

function nothingIfUnserved(error: unknown): Left[] {
  if (isNotFound(error)) return [];
  throw error;
}

async function listKinds({ kube, types, namespace }: Kinds): Promise<{ type: ResourceType; object: Left }[]> {
  const lists = types.map(async (type) => {
    const { items } = await listAll<Left>(kube, type, { namespace }).catch((error: unknown) => ({
      items: nothingIfUnserved(error),
    }));
    return items.map((object) => ({ type, object }));
  });
  return (await Promise.all(lists)).flat();
}

function leftInWords(left: readonly { type: ResourceType; object: Left }[]): string {
  const words = left.slice(0, NAMED).map(({ type, object: { metadata, status } }) => {
    const message = status?.conditions?.find(({ type: condition }) => condition === 'Ready')?.message;
    return `${type.kind} ${metadata.name}${message === undefined ? '' : ` (${oneLine(message)})`}`;
  });
  return [...words, ...(left.length > NAMED ? [`${left.length - NAMED} more`] : [])].join(', ');
}

async function untilNone(kinds: Kinds, { say, signal }: Removal): Promise<void> {
  let words = '';
  const isGone = async (): Promise<boolean> => {
    const left = await listKinds(kinds);
    words = leftInWords(left);
    if (left.length > 0) say(`Waiting for ${words}`);
    return left.length === 0;
  };
  if (await until(isGone, { ...LEAVE, signal })) return;
  throw new Error(`not deleted after ${LEAVE.timeoutMs / 1_000} s: ${words}, in namespace ${kinds.namespace}`);
}

async function deleteKinds(kinds: Kinds): Promise<void> {
  for (const { type, object } of await listKinds(kinds)) {
    await kinds.kube.delete(type, object.metadata, { uid: object.metadata.uid });
  }
}

/** The kinds of Fairlead and Flux that are neither an Application nor its child: sources and templates. */
async function otherKinds(): Promise<ResourceType[]> {
  // Our own CRDs.
  const types = (await readCrds()).map((crd) => resourceOf(crd as Crd));
  const rest = [applicationResource, ...BACKENDS.map(({ resource }) => resource)].map(({ kind }) => kind);
  return types.filter(({ kind }) => !rest.includes(kind));
}

interface InCluster {
  readonly kube: Kube;
  readonly demo: DemoName;
  /** Stays. */
  readonly except?: string;
}

/** Deletes the namespaces of a demo in one cluster, but for `except`, and waits until they are gone. */
async function deleteNamespaces({ kube, demo, except }: InCluster, { say, signal }: Removal): Promise<void> {
  const list = async (): Promise<KubeObject[]> => {
    const { items } = await listAll(kube, namespaceResource, { labelSelector: selectorOfMark(demo.mark) });
    return items.filter((each) => isOwnNamespace(each, demo) && each.metadata.name !== except);
  };
  for (const { metadata } of await list()) await kube.delete(namespaceResource, metadata, { uid: metadata.uid });
  let names = '';
  const isGone = async (): Promise<boolean> => {
    names = (await list()).map(({ metadata }) => metadata.name).join(', ');
    if (names !== '') say(`Waiting for namespaces ${names} of ${kube.server}`);
    return names === '';
  };
  if (await until(isGone, { ...LEAVE, signal })) return;
  throw new Error(`namespaces ${names} of ${kube.server} are not deleted: see why with \`kubectl describe namespace\``);
}

/** What is in the namespace of the demo and waits for a controller before it can go. */
export async function hasContent({ host: { kube }, namespace }: UserClusters): Promise<boolean> {
  const types = [applicationResource, ...BACKENDS.map(({ resource }) => resource), ...(await otherKinds())];
  return (await listKinds({ kube, types, namespace })).length > 0;
}

/** Deletes Applications with their children, then children without an Application, then what these needed. */
async function removeContent(place: Omit<Kinds, 'types'>, removal: Removal): Promise<void> {
  const children = BACKENDS.map(({ resource }) => resource);
  for (const types of [[applicationResource], children, await otherKinds()]) {
    await deleteKinds({ ...place, types });
    await untilNone({ ...place, types }, removal);
  }
}

/**
 * Removes what a demo created in clusters of the user: Applications with their releases, then sources, then its
 * namespaces. A controller has to run meanwhile, because all of these have finalizers. Only namespaces that it created
 * go, with what is in them. Can be repeated.
 */
export async function removeDemo(clusters: UserClusters, removal: Removal): Promise<void> {
  const { host, members, namespace } = clusters;
  const { kube } = host;
  const own = await kube.get(namespaceResource, { name: namespace });
  if (own !== undefined && !isOwnNamespace(own, clusters)) {
    throw new Error(`namespace ${namespace} of ${kube.server} was not created by this demo: it was left unchanged`);
  }
  if (own !== undefined) await removeContent({ kube, namespace }, removal);
  for (const member of members) await deleteNamespaces({ kube: member.kube, demo: clusters }, removal);
  await deleteNamespaces({ kube, demo: clusters, except: namespace }, removal);
  await deleteNamespaces({ kube, demo: clusters }, removal);
}

/**
 * Removes the CRDs that the demo created, unless somebody else applied one since, or there is a controller or an object
 * that needs it anywhere. Returns those left.
 */
export async function removeCrds({ host: { kube }, mark }: UserClusters): Promise<string[]> {
  const own = (await installedCrds(kube)).filter((crd) => isOwnCrd(crd, mark));
  if ((await installedController(kube)) !== undefined) return own.map(({ metadata }) => metadata.name);
  const left: string[] = [];
  for (const crd of own) {
    const { name, uid, resourceVersion } = crd.metadata;
    const dependants = await countObjects(kube, crd);
    const isUnused =
      dependants !== undefined && mayDelete({ subject: 'crd', intent: 'purge', isOurs: true, dependants }).allowed;
    if (isUnused) await kube.delete(crdResource, { name }, { uid, resourceVersion });
    else left.push(name);
  }
  // A demo that starts now would take them for its own.
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  await untilDeleted(kube, own, { say, problem: 'the demo was removed, but not its CRDs' });
  return left;
}
