import { secretResource } from '../../api/core.js';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { inventoryCaches } from '../../controllers/application/clusters.js';
import { BACKENDS } from '../../controllers/application/model/backends/index.js';
import { usesInventory } from '../../controllers/application/model/clusters/expand.js';
import { draftsOf } from '../../controllers/application/model/entries.js';
import { currentlyPending, type CurrentlyPending } from '../../controllers/application/pending.js';
import { applicationDeps } from '../../controllers/application/setup.js';
import type { Cache, CacheOptions } from '../../controllers/runtime/controller.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { createLogger } from '../../controllers/runtime/log.js';
import { createOffload, type Offload } from '../../controllers/runtime/offload.js';
import { controllerNamespace, readableDeployment } from '../check/installed.js';
import { LocalHelm } from '../explain/helm.js';
import { limitLines } from '../explain/limits.js';
import { Snapshot, type Limit } from '../explain/snapshot.js';
import { rulesOf } from '../install/choices.js';

interface Reading {
  readonly kube: Kube;
  readonly signal: AbortSignal;
}

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
  async read({ metadata, ...rest }: Application, kube: Kube): Promise<string | undefined> {
    const { namespace: own = '' } = metadata;
    const usesClusters = draftsOf({ metadata, ...rest }).some(usesInventory);
    const [ofNamespace, ofAll, ofClusters] = await Promise.all([
      this.#own.read(kube, { own, namespaces: [own] }),
      this.#all.read(kube, { own, namespaces: undefined }),
      usesClusters ? this.forClusters.read(kube, { own, namespaces: undefined }) : [],
    ]);
    const unread = ofAll.filter(({ only }) => only === undefined);
    const limits: Limit[] = [...ofNamespace, ...unread, ...ofClusters];
    return limits.length === 0 ? undefined : limitLines(limits).join(' ');
  }
}

async function waitsBy(application: Application, { kube, signal }: Reading, offload: Offload) {
  const installed = await readableDeployment(kube);
  const settings = { ...rulesOf(installed), controllerNamespace: await controllerNamespace(installed) };
  const objects = new Objects();
  const record = (): void => {
    throw new Error('nothing is recorded');
  };
  const context = { kube, offload, cache: objects.cache, now: Date.now, events: { record } };
  const deps = applicationDeps(context, settings, inventoryCaches(objects.forClusters, settings));
  const unread = await objects.read(application, kube);
  if (unread !== undefined) return { unknown: unread };
  const helm = new LocalHelm(undefined, offload);
  const pass = { ...deps, renderValues: helm.render, signal, log: createLogger('silent') };
  const waits = await currentlyPending(application, pass);
  return helm.problem === undefined ? waits : { unknown: helm.problem };
}

/** What an Application waits for, by what the user may read: what its status has no room for. */
export async function readWaits(application: Application, reading: Reading): Promise<CurrentlyPending> {
  const offload = createOffload();
  try {
    return await waitsBy(application, reading, offload);
  } finally {
    await offload.close();
  }
}
