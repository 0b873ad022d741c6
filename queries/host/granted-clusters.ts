import pLimit from 'p-limit';
import { namespaceResource, secretResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { CREDENTIAL_LABEL } from '#api/v1alpha1/labels.js';
import { permitOf, permitOfMissing, type AccessView } from '#controllers/cluster/model/access.js';
import { adaptersFor } from '#controllers/cluster/model/adapters/index.js';
import { clusterIdFrom, clusterIdText, type Cluster, type ClusterId } from '#controllers/cluster/model/cluster.js';
import { clusterOf, grantInUse } from '#controllers/cluster/model/credential.js';
import { grantsNamespace, readGrants, type Grant } from '#controllers/cluster/model/grant.js';
import { listAll, type Kube, type ListQuery } from '#runtime/client/kube.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { CONTROLLER, readableDeployment } from '../plans/installation.js';
import { rulesOf } from '../plans/installed-flags.js';
import { readAdapter, type Reading } from './clusters.js';

/** What a namespace may use of other namespaces, besides clusters without a namespace. */
export interface Granted {
  /** Those whose objects the user may read. */
  readonly clusters: readonly Cluster[];
  /** Names of grants, by the identity of each cluster that the user may not read. */
  readonly unread: ReadonlyMap<string, string>;
}

export const NOTHING: Granted = { clusters: [], unread: new Map() };

/** Undefined if the user may not ask. */
async function ifAllowed<T>(answer: Promise<T>, without: T): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error: unknown) {
    if (isNotFound(error)) return without;
    if (apiStatusOf(error)?.code === 403) return undefined;
    throw error;
  }
}

/** What is known of the grants of a namespace. */
interface Known {
  readonly namespace: string;
  readonly view: AccessView;
  /** Those for the namespace; undefined: the user may not list them. */
  readonly grants: readonly Grant[] | undefined;
  readonly secrets: readonly KubeObject[];
}

/** The grant by which a kubeconfig was made; undefined for one that was taken back. */
function grantOf(secret: KubeObject, id: ClusterId, { namespace, view, grants }: Known): string | undefined {
  const recorded = grantInUse(secret);
  return grants === undefined || recorded === undefined
    ? recorded
    : permitOfMissing(id, recorded, namespace, view)?.grant;
}

/** Clusters of other namespaces that are granted by name or have a kubeconfig, by identity, with their grants. */
function identified(known: Known): Map<string, { readonly id: ClusterId; readonly grant: string }> {
  const { namespace, grants = [], secrets } = known;
  const named = grants.flatMap(({ name, clusters }) =>
    [...clusters].flatMap((text) => {
      const id = clusterIdFrom(text);
      return id === undefined ? [] : [{ id, grant: name }];
    }),
  );
  const made = secrets.flatMap((secret) => {
    const id = clusterOf(secret);
    const grant = id && grantOf(secret, id, known);
    return id === undefined || grant === undefined ? [] : [{ id, grant }];
  });
  // Of several grants the first by name decides, so it comes last here.
  const all = [...made, ...named.reverse()].filter(({ id }) => id.namespace !== namespace);
  return new Map(all.map((each) => [clusterIdText(each.id), each]));
}

/** Where clusters that are granted may be described; those that tenants name come last. */
function placesOf({ namespace, view, grants = [] }: Known, ids: readonly ClusterId[]): string[] {
  const selected = grants
    .filter(({ clusterSelector }) => clusterSelector !== undefined)
    .flatMap(({ clusterNamespaces }) => [...(clusterNamespaces ?? [view.controllerNamespace])]);
  const named = grants.flatMap(({ clusters }) => [...clusters].flatMap((text) => clusterIdFrom(text) ?? []));
  const places = new Set([...selected, ...[...named, ...ids].flatMap((id) => id.namespace ?? [])]);
  return [...places].filter((place) => place !== namespace);
}

type PlaceReading = Reading & { readonly place: string | undefined };

async function readPlace(kube: Kube, place: string, signal: AbortSignal | undefined): Promise<PlaceReading[]> {
  const adapters = adaptersFor(undefined).filter(({ types }) => types.every(({ namespaced }) => namespaced));
  const readings = await Promise.all(
    adapters.map((adapter) => readAdapter(kube, adapter, { namespace: place, signal })),
  );
  return readings.map((reading) => ({ ...reading, place }));
}

/** `readings`: of the namespace itself, of what has no namespace, and of the places of granted clusters. */
function grantedIn(
  { namespace, view, grants }: Known,
  ids: ReturnType<typeof identified>,
  readings: readonly PlaceReading[],
): Granted {
  const isGranted = (cluster: Cluster): boolean =>
    grants === undefined ? ids.has(clusterIdText(cluster.id)) : permitOf(cluster, namespace, view) !== undefined;
  const elsewhere = readings.filter(({ place }) => place !== undefined);
  const clusters = elsewhere.flatMap((reading) => reading.clusters).filter(isGranted);
  const isHidden = ({ id }: { readonly id: ClusterId }): boolean =>
    readings.some(
      ({ adapter: { kind }, state, place }) =>
        state === 'forbidden' && place === id.namespace && kind.apiGroup === id.apiGroup && kind.kind === id.kind,
    );
  const seen = new Set(clusters.map(({ id }) => clusterIdText(id)));
  const hidden = [...ids].filter(([text, each]) => !seen.has(text) && isHidden(each));
  return { clusters, unread: new Map(hidden.map(([text, { grant }]) => [text, grant])) };
}

/** How many other namespaces are asked: anybody can write a Secret that names one. */
export interface PlaceLimits {
  readonly perNamespace: number;
  readonly total: number;
}

export interface GrantedOptions {
  /** Default: as many as there are. */
  readonly most?: PlaceLimits;
  readonly signal?: AbortSignal;
}

/** Namespaces that are asked at a time. */
const AT_ONCE = 4;
const ALL: PlaceLimits = { perNamespace: Infinity, total: Infinity };

/**
 * What namespaces may use by grants, for one answer: nothing is asked twice. Who may not list ClusterGrants sees the
 * clusters that a namespace has a kubeconfig for.
 */
export class GrantedClusters {
  readonly #kube: Kube;
  readonly #most: PlaceLimits;
  readonly #signal: AbortSignal | undefined;
  readonly #limit = pLimit(AT_ONCE);
  readonly #places = new Map<string, Promise<PlaceReading[]>>();
  readonly #leftOut = new Set<string>();
  #installed: ReturnType<typeof readableDeployment> | undefined;
  #grants: Promise<readonly ClusterGrant[] | undefined> | undefined;

  constructor(kube: Kube, { most = ALL, signal }: GrantedOptions = {}) {
    this.#kube = kube;
    this.#most = most;
    this.#signal = signal;
  }

  /** Namespaces that were not asked, because there are too many. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut].filter((place) => !this.#places.has(place)).sort();
  }

  /** `own` are the readings of the namespace itself, and of what has no namespace. */
  async in(namespace: string, own: readonly Reading[]): Promise<Granted> {
    const installed = await (this.#installed ??= readableDeployment(this.#kube, { signal: this.#signal }));
    // Such a controller has no other clusters.
    if (rulesOf(installed).watchedNamespace !== undefined) return NOTHING;
    const { namespace: installedIn = '' } = installed?.metadata ?? CONTROLLER;
    const known = await this.#known(namespace, installedIn);
    const ids = identified(known);
    const places = placesOf(
      known,
      [...ids.values()].map(({ id }) => id),
    );
    const readings = await Promise.all(this.#chosen(places).map((place) => this.#readPlace(place)));
    return grantedIn(known, ids, [...own.map((reading) => ({ ...reading, place: undefined })), ...readings.flat()]);
  }

  async #known(namespace: string, installedIn: string): Promise<Known> {
    const [objects, secrets, object] = await Promise.all([
      (this.#grants ??= ifAllowed(this.#list<ClusterGrant>(clusterGrantResource, {}), [])),
      ifAllowed(this.#listMade(namespace), []),
      ifAllowed(
        this.#kube.get<KubeObject>(namespaceResource, { name: namespace }, { signal: this.#signal }),
        undefined,
      ),
    ]);
    const labels = object?.metadata.labels ?? {};
    const grants = readGrants(objects ?? []);
    const own = grants.filter((grant) => grantsNamespace(grant, namespace, labels));
    return {
      namespace,
      view: { grants, namespaceLabels: () => labels, controllerNamespace: installedIn },
      grants: objects === undefined ? undefined : own,
      secrets: secrets ?? [],
    };
  }

  /** The kubeconfigs that were made for granted clusters, without what is in them. */
  #listMade(namespace: string): Promise<readonly KubeObject[]> {
    return this.#list(secretResource, { namespace, labelSelector: `${CREDENTIAL_LABEL}=true`, metadataOnly: true });
  }

  async #list<T extends KubeObject>(type: ResourceType, query: ListQuery): Promise<readonly T[]> {
    return (await listAll<T>(this.#kube, type, { ...query, signal: this.#signal })).items;
  }

  #chosen(places: readonly string[]): readonly string[] {
    const { perNamespace, total } = this.#most;
    const known = places.filter((place) => this.#places.has(place));
    const others = places.filter((place) => !this.#places.has(place));
    const left = Math.max(0, Math.min(perNamespace, total - this.#places.size));
    for (const place of others.slice(left)) this.#leftOut.add(place);
    return [...known, ...others.slice(0, left)];
  }

  #readPlace(place: string): Promise<PlaceReading[]> {
    const reading = this.#places.get(place) ?? this.#limit(() => readPlace(this.#kube, place, this.#signal));
    this.#places.set(place, reading);
    return reading;
  }
}
