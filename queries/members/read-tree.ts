import type { Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { destinationsOn, treeView } from '../views/tree-view.js';
import type { TreeView } from '../answers/members.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import { readDestination } from './read-destination.js';

export interface TreeQuery extends ReadLimits {
  /** Undefined: all. */
  readonly cluster?: string | undefined;
}

/** An Application and what runs on its clusters, read with the rights that `host` has. Says what could not be read. */
export async function readTree(host: Kube, application: Application, query: TreeQuery = {}): Promise<TreeView> {
  const destinations = destinationsOn(application, query.cluster);
  const place = { host, namespace: application.metadata.namespace ?? '' };
  const read = async (
    ...[destination, reader]: Parameters<typeof readDestination>
  ): Promise<readonly [string, Awaited<ReturnType<typeof readDestination>>]> => [
    destination.child,
    await readDestination(destination, reader, { seeksFailingPods: true }),
  ];
  return treeView(application, destinations, new Map(await eachDestination(place, destinations, read, query)));
}
