import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { APPLICATION_FINALIZER } from '#api/v1alpha1/labels.js';
import { BACKENDS } from '#controllers/application/model/backends/index.js';
import { disowned, hasHolder } from '#controllers/application/model/child/metadata.js';
import { mayDelete } from '#engine/deletion/rule.js';
import { runningFlux } from '#manager/flux-watch.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { ConflictError, isNotFound } from '#lib/errors.js';
import { isFluxCrd } from './crd-rules.js';
import type { Crd } from './crds.js';

/** The finalizers that only a running engine of ours would take off. */
const OUR_FINALIZERS: readonly string[] = [APPLICATION_FINALIZER, FLUX_FINALIZER];

/** The type of a CRD, in a version that the API server serves. */
export function resourceOf(crd: Pick<Crd, 'spec' | 'metadata'>): ResourceType {
  const { group, names, scope, versions } = crd.spec;
  const version = versions.find(({ served }) => served) ?? versions[0];
  if (version === undefined) throw new Error(`CRD ${crd.metadata.name} has no version`);
  return { group, version: version.name, kind: names.kind, plural: names.plural, namespaced: scope === 'Namespaced' };
}

/** A child that an Application owns or holds. */
interface Owned {
  readonly type: ResourceType;
  readonly child: KubeObject;
}

function nothingIfUnserved(error: unknown): [] {
  if (isNotFound(error)) return [];
  throw error;
}

/** The metadata that an object has to get; undefined when it is as it should be. */
type Change = (object: KubeObject) => object | undefined;

/** Takes our finalizers off. */
const withoutFinalizers: Change = ({ metadata: { finalizers = [] } }) => {
  const others = finalizers.filter((finalizer) => !OUR_FINALIZERS.includes(finalizer));
  return others.length === finalizers.length ? undefined : { finalizers: others };
};

const withoutApplications: Change = (child) => (hasHolder(child) ? disowned(child) : undefined);

/** A client, and what ends its work before the next write. */
export interface Removing {
  readonly kube: Kube;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Others may write the object in the meantime: read again and repeat until it is deleted or as desired. */
async function rewrite(
  { kube, signal }: Removing,
  listed: KubeObject,
  { type, change }: { type: ResourceType; change: Change },
): Promise<void> {
  for (let object: KubeObject | undefined = listed; object !== undefined;) {
    signal.throwIfAborted();
    const metadata = change(object);
    if (metadata === undefined) return;
    const body = { metadata: { resourceVersion: object.metadata.resourceVersion, ...metadata } };
    try {
      await kube.patch(type, object.metadata, { type: 'merge', body });
      return;
    } catch (error: unknown) {
      if (!(error instanceof ConflictError) && !isNotFound(error)) throw error;
      object = await kube.get(type, listed.metadata);
    }
  }
}

/**
 * Why nobody may take the finalizers off the objects of these CRDs while these controllers of Flux run, and the way
 * out; undefined when one may.
 */
export function whyHeld(crds: readonly string[], running: readonly string[]): string | undefined {
  for (const crd of crds) {
    const isOurs = running.length === 0 || !isFluxCrd(crd);
    const facts = { subject: 'finalizer', intent: 'purge', isOurs, isTerminating: false, isAsked: true } as const;
    const { allowed, why } = mayDelete(facts);
    const wayOut = 'scale it to 0 replicas and repeat, or uninstall without --purge';
    if (!allowed) return `${running.join(', ')} with CRD ${crd} of Fairlead: ${why}; ${wayOut}`;
  }
  return undefined;
}

/** Throws if an engine is running for objects whose finalizers must be removed. */
export async function refuseHeld(kube: Kube, crds: readonly Crd[]): Promise<void> {
  const names = crds.map(({ metadata }) => metadata.name);
  const why = whyHeld(names, await runningFlux(kube));
  if (why !== undefined) throw new Error(`nothing was removed; ${why}`);
}

/** How many objects of a CRD the cluster has; undefined while the kind is not served, and nobody can know. */
export async function countObjects(kube: Kube, crd: Crd): Promise<number | undefined> {
  try {
    return (await listAll(kube, resourceOf(crd), { metadataOnly: true })).items.length;
  } catch (error: unknown) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Takes our finalizers off every object of a CRD, so that the objects can go without anything being uninstalled.
 * Returns how many objects there are.
 */
export async function letGo(removing: Removing, crd: Crd): Promise<number> {
  const { kube } = removing;
  await refuseHeld(kube, [crd]);
  const type = resourceOf(crd);
  const { items } = await listAll(kube, type);
  for (const object of items) await rewrite(removing, object, { type, change: withoutFinalizers });
  return items.length;
}

/** What Applications own or hold, of both kinds of child; nothing where a kind is not served. */
export async function ownedChildren(kube: Kube): Promise<Owned[]> {
  const lists = BACKENDS.map(async ({ resource: type }) => {
    const { items } = await listAll(kube, type, { metadataOnly: true });
    return items.filter(hasHolder).map((child) => ({ type, child }));
  });
  const found = await Promise.all(lists.map((list) => list.catch(nothingIfUnserved)));
  return found.flat();
}

/**
 * Removes the owner reference to an Application from every HelmRelease and Kustomization, also if these kinds belong to
 * Flux: the API server would delete them after their Applications, and the engine would uninstall their releases.
 * Returns how many there were.
 */
export async function disown(removing: Removing): Promise<number> {
  const children = await ownedChildren(removing.kube);
  for (const { type, child } of children) await rewrite(removing, child, { type, change: withoutApplications });
  return children.length;
}
