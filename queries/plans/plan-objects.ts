import { controllerRevisionResource, namespaceResource, secretResource } from '#api/core.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { TEMPLATE_RESOURCES, type Template } from '#api/v1alpha1/template.js';
import { BACKENDS } from '#controllers/application/model/backends/index.js';
import { clusterText } from '#controllers/application/model/child/cluster.js';
import { usesInventory } from '#controllers/application/model/destinations/expand.js';
import { draftsOf } from '#controllers/application/model/destinations/entries.js';
import { sourceReference } from '#controllers/application/model/spec/flux-spec.js';
import { templatePlaces } from '#controllers/application/model/spec/template-lookup.js';
import { templateUses } from '#controllers/application/model/destinations/template-use.js';
import type { Cache, CacheOptions } from '#runtime/controller.js';
import type { Reading } from './reading.js';
import { Snapshot, type Limit } from './snapshot.js';
import type { Replace } from './template-change.js';

const CHILDREN = BACKENDS.map(({ resource }) => resource);
/** What is only asked of the namespace of an Application. */
const OF_THE_NAMESPACE: readonly ResourceType[] = [applicationResource];
const OF_TEMPLATES: readonly ResourceType[] = [namespaceResource, ...TEMPLATE_RESOURCES];
/** Most namespaces that are searched for children of others with the same target on the host. */
const MOST_NAMESPACES = 10;

/**
 * The objects that a plan is made of, at one moment: those of the namespaces that the Application names. A Secret or a
 * source that the user may not read is taken for existing.
 */
export class PlanObjects {
  readonly #own = new Snapshot();
  readonly #children = new Snapshot();
  readonly #templates = new Snapshot();
  readonly #secrets = new Snapshot({ assumes: true });
  readonly #sources = new Snapshot({ assumes: true });
  readonly #charts = new Snapshot();
  readonly #templateCaches: Cache<Template>[] = [];
  readonly #replace: Replace | undefined;
  readonly forClusters = new Snapshot();

  /** `replace`: what was read is taken for something else. */
  constructor(replace?: Replace) {
    this.#replace = replace;
  }

  readonly cache = <T extends KubeObject>(type: ResourceType, given: CacheOptions<T> = {}): Cache<T> => {
    const options = this.#replacing(given);
    const cache = this.#snapshotFor(type, options).cache(type, options);
    // Read as what they are.
    if (TEMPLATE_RESOURCES.includes(type)) this.#templateCaches.push(cache as unknown as Cache<Template>);
    return cache;
  };

  #replacing<T extends KubeObject>(options: CacheOptions<T>): CacheOptions<T> {
    const [replace, { transform = (object: KubeObject) => object }] = [this.#replace, options];
    return replace === undefined ? options : { ...options, transform: (object) => replace(transform(object)) };
  }

  #snapshotFor(type: ResourceType, { metadataOnly, labelSelector }: CacheOptions<never>): Snapshot {
    if (type === controllerRevisionResource) {
      return labelSelector === APPLICATION_REVISION ? this.#own : this.#templates;
    }
    if (OF_TEMPLATES.includes(type)) return this.#templates;
    if (OF_THE_NAMESPACE.includes(type)) return this.#own;
    if (CHILDREN.includes(type)) return this.#children;
    if (type === secretResource) return this.#secrets;
    if (type === helmChartResource) return this.#charts;
    // Sources that were made for Applications are in their namespaces, all others are only asked whether they exist.
    if (labelSelector !== undefined) return this.#own;
    return metadataOnly === true ? this.#sources : this.#charts;
  }

  /** Namespaces of the sources of an Application and of the templates that were read. */
  #sourceNamespaces(application: Application): string[] {
    const templates = this.#templateCaches.flatMap((cache) => cache.list());
    const named = [sourceReference(application)?.namespace, ...templates.map(({ spec }) => spec.sourceRef.namespace)];
    return named.flatMap((namespace) => (namespace === undefined || namespace === '' ? [] : [namespace]));
  }

  /** Namespaces that may have children of others with the same target on the host: target and source namespaces. */
  #neighbours(application: Application): string[] {
    const targets = draftsOf(application).flatMap(({ layer: { destination } }) =>
      clusterText(destination?.kubeConfig) === '' ? [destination?.targetNamespace ?? ''] : [],
    );
    const named = new Set([...targets, ...this.#sourceNamespaces(application)]);
    const { namespace: own = '' } = application.metadata;
    return [...named].filter((name) => name !== '' && name !== own).slice(0, MOST_NAMESPACES);
  }

  /** Returns what the user may not read of them. */
  async read(application: Application, { kube, budget, signal }: Reading): Promise<Limit[]> {
    const { namespace: own = '' } = application.metadata;
    const bounds = { budget, signal, own };
    const places = templateUses(application).flatMap(templatePlaces);
    const inTemplates = [...new Set(places.map(({ namespace }) => namespace))];
    const limits = inTemplates.length === 0 ? [] : await this.#read(this.#templates, inTemplates, { kube, bounds });
    const inSources = [...new Set([own, ...this.#sourceNamespaces(application)])];
    const isLocked = application.spec.rollout !== undefined;
    const inCharts = [...new Set([...inTemplates, ...(isLocked ? inSources : [])])];
    const rest = await Promise.all([
      this.#read(this.#own, [own], { kube, bounds }),
      this.#children.read(kube, { ...bounds, namespaces: [own], also: this.#neighbours(application) }),
      this.#read(this.#secrets, [own], { kube, bounds }),
      this.#read(this.#sources, inSources, { kube, bounds }),
      inCharts.length === 0 ? [] : this.#read(this.#charts, inCharts, { kube, bounds }),
      draftsOf(application).some(usesInventory) ? this.#read(this.forClusters, undefined, { kube, bounds }) : [],
    ]);
    return [...limits, ...rest.flat()];
  }

  #read(
    snapshot: Snapshot,
    namespaces: readonly string[] | undefined,
    { kube, bounds }: Pick<Reading, 'kube'> & { readonly bounds: { readonly own: string } },
  ): Promise<Limit[]> {
    return snapshot.read(kube, { ...bounds, namespaces });
  }
}

/** What nothing can be said without: what is already deployed. */
export function isDecisive({ type, only }: Limit): boolean {
  return CHILDREN.includes(type) && only === undefined;
}

/** True for a limit that matters only to new children on the host: others may already apply to their targets. */
export function isOfOthers({ type, only }: Limit): boolean {
  return CHILDREN.includes(type) && only !== undefined;
}
