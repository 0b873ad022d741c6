import { crdResource, namespaceResource } from '../../api/core.js';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import { BACKENDS } from '../../controllers/application/model/backends/index.js';
import { applicationResource } from '../../api/v1alpha1/application.js';
import { mayDelete } from '../../controllers/deletion/rule.js';
import { listAll, type Kube } from '../../controllers/runtime/kube.js';
import { isNotFound } from '../../controllers/runtime/pure/errors.js';
import { until } from '../../controllers/runtime/until.js';
import { applyObject } from '../install/apply.js';
import { liveCrds, untilEstablished, type Crd } from '../install/crds.js';
import { readCrds } from '../install/package.js';
import { countObjects, resourceOf } from '../install/release.js';
import type { Say } from '../progress.js';
import { isMarked, selectorOfMark, type Mark } from './mark.js';
import type { Target } from './placement.js';
import { kubeOf, type UserClusters } from './user-clusters.js';

const LEAVE = { timeoutMs: 120_000, intervalMs: 500 };
/** How many objects a message names. */
const NAMED = 3;

async function createNamespace(kube: Kube, name: string, mark: Mark): Promise<void> {
  await kube.create(namespaceResource, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { ...mark } },
  });
}

/** Creates the namespace of the demo: of two demos at once, one fails here. */
export async function claimNamespace({ host, namespace, mark }: UserClusters): Promise<void> {
  await createNamespace(host.kube, namespace, mark);
}

/** Creates the namespaces that the samples deploy to, so that they can be removed again. */
export async function createTargets(clusters: UserClusters, targets: readonly Target[]): Promise<void> {
  for (const target of targets) await createNamespace(kubeOf(clusters, target), target.namespace, clusters.mark);
}

/** Creates the CRDs that the cluster does not have; the others are left unchanged. */
export async function createCrds({ host: { kube }, mark }: UserClusters): Promise<void> {
  const wanted = await readCrds();
  const names = wanted.map(({ metadata }) => metadata.name);
  const live = new Map((await liveCrds(kube, names)).map((crd) => [crd.metadata.name, crd]));
  const isMissing = ({ metadata }: KubeObject): boolean => {
    const found = live.get(metadata.name);
    return found === undefined || isMarked(found, mark);
  };
  for (const crd of wanted.filter(isMissing)) {
    // A later `fairlead install` applies it without the mark, as the same manager: then it is no longer the demo's.
    const labels = { ...crd.metadata.labels, ...mark };
    const object = { ...crd, metadata: { ...crd.metadata, labels } };
    await applyObject(kube, { type: crdResource, object }, { dryRun: false });
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
    return `${type.kind} ${metadata.name}${message === undefined ? '' : ` (${message})`}`;
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

interface Marked {
  readonly kube: Kube;
  readonly mark: Mark;
  /** Stays. */
  readonly except?: string;
}

/** Deletes the marked namespaces of one cluster, but for `except`, and waits until they are gone. */
async function deleteNamespaces(cluster: Marked, { say, signal }: Removal): Promise<void> {
  const { kube, mark, except } = cluster;
  const list = async (): Promise<KubeObject[]> => {
    const { items } = await listAll(kube, namespaceResource, { labelSelector: selectorOfMark(mark) });
    return items.filter(({ metadata }) => metadata.name !== except);
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

/** Deletes Applications, waits for their children, then deletes what these needed. */
async function removeContent(place: Omit<Kinds, 'types'>, removal: Removal): Promise<void> {
  const applications = { ...place, types: [applicationResource] };
  await deleteKinds(applications);
  const children = BACKENDS.map(({ resource }) => resource);
  await untilNone({ ...place, types: [applicationResource, ...children] }, removal);
  const others = { ...place, types: await otherKinds() };
  await deleteKinds(others);
  await untilNone(others, removal);
}

/**
 * Removes what a demo created in clusters of the user: Applications with their releases, then sources, then its
 * namespaces. A controller has to run meanwhile, because all of these have finalizers. Only what carries the mark goes,
 * and what is in its namespace. Can be repeated.
 */
export async function removeDemo(clusters: UserClusters, removal: Removal): Promise<void> {
  const { host, members, namespace, mark } = clusters;
  const { kube } = host;
  const own = await kube.get(namespaceResource, { name: namespace });
  if (own !== undefined && !isMarked(own, mark)) {
    throw new Error(`namespace ${namespace} of ${kube.server} was not created by this demo: it was left unchanged`);
  }
  if (own !== undefined) await removeContent({ kube, namespace }, removal);
  for (const member of members) await deleteNamespaces({ kube: member.kube, mark }, removal);
  await deleteNamespaces({ kube, mark, except: namespace }, removal);
  await deleteNamespaces({ kube, mark }, removal);
}

/** Removes the CRDs that the demo created, unless there is an object of one of them anywhere. Returns those left. */
export async function removeCrds({ host: { kube }, mark }: UserClusters): Promise<string[]> {
  const names = (await readCrds()).map(({ metadata }) => metadata.name);
  const left: string[] = [];
  for (const crd of (await liveCrds(kube, names)).filter((each) => isMarked(each, mark))) {
    const { name, uid, resourceVersion } = crd.metadata;
    const dependants = await countObjects(kube, crd);
    const isUnused =
      dependants !== undefined && mayDelete({ subject: 'crd', intent: 'purge', isOurs: true, dependants }).allowed;
    if (isUnused) await kube.delete(crdResource, { name }, { uid, resourceVersion });
    else left.push(name);
  }
  return left;
}
