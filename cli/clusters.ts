import { Command } from 'commander';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import type { Kube, ListQuery } from '#runtime/kube.js';
import { clusterViews, type ClusterView } from '#queries/host/model/cluster-view.js';
import { namedClusters } from '#queries/host/model/named-clusters.js';
import { viewOf } from '#queries/views/application-view.js';
import { GrantedClusters, NOTHING, type Granted } from '#queries/host/granted-clusters.js';
import type { Reading } from '#queries/host/clusters.js';
import { oneLine } from '#lib/one-line.js';
import { clustersTable } from './clusters/clusters-table.js';
import { withCauses } from './clusters/lost.js';
import { nearMisses } from './clusters/near-misses.js';
import { probeClusters } from './clusters/probe.js';
import { probedViews } from './clusters/probed-view.js';
import { findClusters, type Found } from './clusters/read.js';
import { withConnection, withKube } from './connection.js';
import {
  checkNamespaces,
  inFormat,
  isTable,
  namespaceQuery,
  placeOf,
  withListing,
  type ListingOptions,
} from './listing.js';
import { outputTerminal, print } from './terminal/standard-output.js';

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
    for (const note of await nearMisses(kube, query)) process.stderr.write(`${oneLine(note)}\n`);
  });
}

/** `fairlead clusters`: what the inventory has, and what destinations name. */
export function clustersCommand(): Command {
  const command = new Command('clusters')
    .description('Show the clusters that Applications can be deployed to, and what uses them.')
    .option('--probe', 'ask each cluster whether it answers, with the credential of the inventory')
    .option('--show-labels', 'show the labels of the clusters, which selectors match');
  return withConnection(withListing(command, 'clusters')).action(clusters);
}
