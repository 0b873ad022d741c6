import { namespaceResource, secretResource } from '../../api/core.js';
import type { KubeObject } from '../../api/meta.js';
import { clusterGrantResource, type ClusterGrant } from '../../api/v1alpha1/cluster-grant.js';
import { CREDENTIAL_LABEL } from '../../api/v1alpha1/labels.js';
import { permitOf, permitOfMissing, type AccessView } from '../cluster/model/access.js';
import { adaptersFor } from '../cluster/model/adapters/index.js';
import { clusterIdFrom, clusterIdText, type Cluster, type ClusterId } from '../cluster/model/cluster.js';
import { clusterOf, grantInUse } from '../cluster/model/credential.js';
import { grantsNamespace, readGrants, type Grant } from '../cluster/model/grant.js';
import { CONTROLLER, readableDeployment } from '../preview/installation.js';
import { rulesOf } from '../preview/installed-flags.js';
import { listAll, type Kube } from '../runtime/kube.js';
import { apiStatusOf, isNotFound } from '../runtime/pure/errors.js';
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

async function listGrants(kube: Kube): Promise<readonly ClusterGrant[]> {
  return (await listAll<ClusterGrant>(kube, clusterGrantResource, {})).items;
}

/** The kubeconfigs that were made for granted clusters, without what is in them. */
async function listMade(kube: Kube, namespace: string): Promise<readonly KubeObject[]> {
  const query = { namespace, labelSelector: `${CREDENTIAL_LABEL}=true`, metadataOnly: true };
  return (await listAll<KubeObject>(kube, secretResource, query)).items;
}

/** What is known of the grants of a namespace. */
interface Known {
  readonly namespace: string;
  readonly view: AccessView;
  /** Those for the namespace; undefined: the user may not list them. */
  readonly grants: readonly Grant[] | undefined;
  readonly secrets: readonly KubeObject[];
}

async function readKnown(kube: Kube, namespace: string, installedIn: string): Promise<Known> {
  const [objects, secrets, object] = await Promise.all([
    ifAllowed(listGrants(kube), []),
    ifAllowed(listMade(kube, namespace), []),
    ifAllowed(kube.get<KubeObject>(namespaceResource, { name: namespace }), undefined),
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

/** Where clusters that are granted may be described. */
function placesOf({ namespace, view, grants = [] }: Known, ids: readonly ClusterId[]): string[] {
  const selected = grants
    .filter(({ clusterSelector }) => clusterSelector !== undefined)
    .flatMap(({ clusterNamespaces }) => [...(clusterNamespaces ?? [view.controllerNamespace])]);
  const places = new Set([...selected, ...ids.flatMap((id) => id.namespace ?? [])]);
  return [...places].filter((place) => place !== namespace);
}

async function readPlace(kube: Kube, place: string): Promise<(Reading & { readonly place: string })[]> {
  const adapters = adaptersFor(undefined).filter(({ types }) => types.every(({ namespaced }) => namespaced));
  const readings = await Promise.all(adapters.map((adapter) => readAdapter(kube, adapter, { namespace: place })));
  return readings.map((reading) => ({ ...reading, place }));
}

/** `own` are the readings of the namespace itself, and of what has no namespace. */
async function grantedBy(kube: Kube, known: Known, own: readonly Reading[]): Promise<Granted> {
  const { namespace, view, grants } = known;
  const ids = identified(known);
  const places = placesOf(
    known,
    [...ids.values()].map(({ id }) => id),
  );
  const readings = (await Promise.all(places.map((place) => readPlace(kube, place)))).flat();
  const isGranted = (cluster: Cluster): boolean =>
    grants === undefined ? ids.has(clusterIdText(cluster.id)) : permitOf(cluster, namespace, view) !== undefined;
  const clusters = readings.flatMap((reading) => reading.clusters).filter(isGranted);
  const all = [...own.map((reading) => ({ ...reading, place: undefined })), ...readings];
  const isHidden = ({ id }: { readonly id: ClusterId }): boolean =>
    all.some(
      ({ adapter: { kind }, state, place }) =>
        state === 'forbidden' && place === id.namespace && kind.apiGroup === id.apiGroup && kind.kind === id.kind,
    );
  const seen = new Set(clusters.map(({ id }) => clusterIdText(id)));
  const hidden = [...ids].filter(([text, each]) => !seen.has(text) && isHidden(each));
  return { clusters, unread: new Map(hidden.map(([text, { grant }]) => [text, grant])) };
}

/**
 * What a namespace may use by grants. Who may not list ClusterGrants sees the clusters that the namespace has a
 * kubeconfig for.
 */
export async function findGranted(kube: Kube, namespace: string, own: readonly Reading[]): Promise<Granted> {
  const installed = await readableDeployment(kube);
  // Such a controller has no other clusters.
  if (rulesOf(installed).watchedNamespace !== undefined) return NOTHING;
  const { namespace: installedIn = '' } = installed?.metadata ?? CONTROLLER;
  return grantedBy(kube, await readKnown(kube, namespace, installedIn), own);
}
