import type { Command } from 'commander';
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { type Cluster, clusterIdText } from '#controllers/cluster/model/cluster.js';
import { probeCluster } from '#controllers/cluster/probe/reach.js';
import { apiStatusOf, CancelledError } from '#lib/errors.js';
import { describeObject } from '#lib/net/urls.js';
import type { Reading } from '#queries/host/clusters.js';
import { type Granted, GrantedClusters, NOTHING } from '#queries/host/granted-clusters.js';
import { clusterViews } from '#queries/host/model/cluster-view.js';
import type { ClusterView } from '#queries/answers/clusters.js';
import { namedClusters } from '#queries/host/model/named-clusters.js';
import { viewOf } from '#queries/views/application-view.js';
import { type Kube, listAll, type ListQuery } from '#runtime/client/kube.js';
import { withConnection, withKube } from '../command/connection.js';
import {
  checkNamespaces,
  inFormat,
  isTable,
  type ListingOptions,
  namespaceQuery,
  placeOf,
  withListing,
} from '../output/listing.js';
import { note, outputTerminal, print } from '../output/standard-output.js';
import { clustersTable, type Findings, probedViews, type ProbeFinding } from './model/clusters-table.js';
import { findClusters, type Found, withCauses } from './find-clusters.js';

const AT_ONCE = 10;
/** For all clusters together; those that are left are not probed. */
const LIMIT_MS = 60_000;
const NOT_PROBED: ProbeFinding = { reachability: 'NotProbed', message: `other clusters took ${LIMIT_MS / 1_000} s` };

async function findingOf(cluster: Cluster, kube: Kube, signal: AbortSignal): Promise<ProbeFinding> {
  if (cluster.isHost) return { reachability: 'Reachable', server: kube.server, version: undefined, uid: undefined };
  try {
    return await probeCluster(cluster, { kube, rules: { allowInsecure: false } }, signal);
  } catch (error: unknown) {
    if (error instanceof CancelledError) return NOT_PROBED;
    throw error;
  }
}

/** Asks every cluster once, with the credential that the user may read. */
async function probeClusters(kube: Kube, clusters: readonly Cluster[]): Promise<Findings> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  // Every connection listens to the one signal: that is no leak.
  setMaxListeners(0, signal);
  const limit = pLimit(AT_ONCE);
  const findings = clusters.map((cluster) =>
    limit(async () => [clusterIdText(cluster.id), await findingOf(cluster, kube, signal)] as const),
  );
  return new Map(await Promise.all(findings));
}

/** Labels that users mean by ours, each as a selector, with what they do not say. */
const NEAR = [`${CLUSTER_LABEL},${CLUSTER_LABEL}!=true`, `${CLUSTER_LABEL}s,!${CLUSTER_LABEL}`];

/** Tells the fault of a Secret that is labelled nearly as a cluster is; undefined: it has none. */
export function nearMissText({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  const { labels = {}, namespace, name } = metadata;
  const key = [CLUSTER_LABEL, `${CLUSTER_LABEL}s`].find((each) => labels[each] !== undefined);
  if (key === undefined || (key === CLUSTER_LABEL && labels[key] === 'true')) return undefined;
  const secret = describeObject('Secret', { namespace, name });
  return `${secret} has the label ${key}=${labels[key] ?? ''}, so it is no cluster: only ${CLUSTER_LABEL}=true makes it one.`;
}

/** Secrets of a query that are no clusters because of a misspelled label, as sentences; none if they may not be read. */
async function nearMisses(kube: Kube, { namespace }: ListQuery): Promise<string[]> {
  try {
    const queries = NEAR.map((labelSelector) => ({ namespace, labelSelector, metadataOnly: true }));
    const lists = await Promise.all(queries.map((query) => listAll<KubeObject>(kube, secretResource, query)));
    return lists.flatMap(({ items }) => items.flatMap((item) => nearMissText(item) ?? []));
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === 403) return [];
    throw error;
  }
}

interface ClustersOptions extends ListingOptions {
  readonly showLabels?: true;
  readonly probe?: true;
}

interface All extends Found {
  readonly granted: Granted;
}

async function findAll(kube: Kube, query: ListQuery): Promise<All> {
  const found = await findClusters(kube, query);
  const { namespace } = query;
  const granted = namespace === undefined ? NOTHING : await new GrantedClusters(kube).in(namespace, found.readings);
  return { ...found, granted };
}

function clustersOf({ readings, granted }: All): Cluster[] {
  return [...readings.flatMap(({ clusters }) => clusters), ...granted.clusters];
}

function viewsOf(found: All, { namespace }: ListQuery): ClusterView[] {
  const { readings, children, granted } = found;
  const unread = readings.filter(({ state }) => state === 'forbidden').map(({ adapter }) => adapter.kind);
  return clusterViews({ clusters: clustersOf(found), children, unread, granted: granted.unread, namespace });
}

function textOf(views: readonly ClusterView[], { namespace: own }: ListQuery, options: ClustersOptions): string {
  const { showLabels = false, probe: probed = false } = options;
  const allNamespaces =
    options.allNamespaces === true || views.some(({ namespace }) => namespace !== '' && namespace !== own);
  return inFormat(options, { clusters: views }, (wide) =>
    clustersTable(views, { allNamespaces, showLabels, probed, wide, terminal: outputTerminal() }),
  );
}

function warn({ readings, hasAllChildren, applications }: Found): void {
  const forbidden = ({ state }: Reading): boolean => state === 'forbidden';
  for (const { adapter } of readings.filter(forbidden)) {
    process.stderr.write(`You may not list the clusters of ${adapter.name}: they are not shown.\n`);
  }
  if (!hasAllChildren) process.stderr.write('You may not list all namespaces: users in others are not shown.\n');
  if (applications === undefined) {
    process.stderr.write('You may not list Applications: clusters that only they name are not shown.\n');
  }
}

async function clusters(options: ClustersOptions): Promise<void> {
  checkNamespaces(options);
  await withKube(options, async (kube) => {
    const query = await namespaceQuery(options);
    const found = await findAll(kube, query);
    const known = await withCauses(kube, viewsOf(found, query), found.children);
    const all = [...known, ...namedClusters(known, (found.applications ?? []).map(viewOf))];
    const views = options.probe === true ? probedViews(all, await probeClusters(kube, clustersOf(found))) : all;
    if (isTable(options) && views.length === 0) process.stderr.write(`No clusters in ${placeOf(query)}.\n`);
    else print(textOf(views, query, options));
    warn(found);
    for (const text of await nearMisses(kube, query)) note(text);
  });
}

/** `fairlead clusters`: what the inventory has, and what destinations name. */
export function clustersCommand(command: Command): void {
  command
    .option('--probe', 'ask each cluster whether it answers, with the credential of the inventory')
    .option('--show-labels', 'show the labels of the clusters, which selectors match');
  withConnection(withListing(command, 'clusters')).action(clusters);
}
