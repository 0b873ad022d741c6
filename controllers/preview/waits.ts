import { secretResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { inventoryCaches } from '../application/clusters.js';
import { BACKENDS } from '../application/model/backends/index.js';
import { usesInventory } from '../application/model/destinations/expand.js';
import { draftsOf } from '../application/model/destinations/entries.js';
import { currentlyPending, type CurrentlyPending } from '../application/pending.js';
import { applicationDeps } from '../application/setup.js';
import type { Cache, CacheOptions } from '../runtime/controller.js';
import { createLogger } from '../runtime/log.js';
import { CONTROLLER, readableDeployment } from './installation.js';
import { rulesOf } from './installed-flags.js';
import { LazyRenderer } from './lazy-renderer.js';
import { limitLines } from './limits.js';
import type { Reading } from './reading.js';
import { Snapshot, type Limit } from './snapshot.js';

/** What is only asked of the namespace of an Application. */
const OF_THE_NAMESPACE = [applicationResource, secretResource, ...BACKENDS.map(({ resource }) => resource)];

/** The objects that a reconciliation of an Application reads, at one moment. */
class Objects {
  readonly #own = new Snapshot();
  readonly #all = new Snapshot();
  readonly forClusters = new Snapshot();

  readonly cache = <T extends KubeObject>(type: ResourceType, options: CacheOptions<T> = {}): Cache<T> => {
    const snapshot = OF_THE_NAMESPACE.includes(type) ? this.#own : this.#all;
    return snapshot.cache(type, options);
  };

  /** Returns what the user may not read of them, and why nothing can be said without that; undefined: it can. */
  async read({ metadata, ...rest }: Application, { kube, budget, signal }: Reading): Promise<string | undefined> {
    const { namespace: own = '' } = metadata;
    const bounds = { budget, signal };
    const usesClusters = draftsOf({ metadata, ...rest }).some(usesInventory);
    const [ofNamespace, ofAll, ofClusters] = await Promise.all([
      this.#own.read(kube, { ...bounds, own, namespaces: [own] }),
      this.#all.read(kube, { ...bounds, own, namespaces: undefined }),
      usesClusters ? this.forClusters.read(kube, { ...bounds, own, namespaces: undefined }) : [],
    ]);
    const unread = ofAll.filter(({ only }) => only === undefined);
    const limits: Limit[] = [...ofNamespace, ...unread, ...ofClusters];
    return limits.length === 0 ? undefined : limitLines(limits).join(' ');
  }
}

/** What an Application waits for, by what the user may read: what its status has no room for. */
export async function readWaits(application: Application, reading: Reading): Promise<CurrentlyPending> {
  const { kube, offload, signal } = reading;
  const installed = await readableDeployment(kube, { signal });
  const { namespace: controllerNamespace = '' } = installed?.metadata ?? CONTROLLER;
  const settings = { ...rulesOf(installed), controllerNamespace };
  const objects = new Objects();
  const record = (): void => {
    throw new Error('nothing is recorded');
  };
  const context = { kube, offload, cache: objects.cache, now: Date.now, events: { record } };
  const deps = applicationDeps(context, settings, inventoryCaches(objects.forClusters, settings));
  const unread = await objects.read(application, reading);
  if (unread !== undefined) return { unknown: unread };
  const helm = new LazyRenderer(reading.findRenderer);
  const pass = { ...deps, renderValues: helm.render, signal, log: createLogger('silent') };
  const waits = await currentlyPending(application, pass);
  return helm.problem === undefined ? waits : { unknown: helm.problem };
}
