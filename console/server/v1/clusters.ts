import type { FastifyInstance } from 'fastify';
import type { ApplicationRoutes } from '../applications.js';
import { Inventory } from '../inventory.js';
import { clusterItems, clusterQueryOf, clustersBy } from '../../shared/cluster-item.js';
import { pageFrom } from '../../shared/page-query.js';
import { queryOf } from '../schemas.js';
import { BY_NAMESPACE } from '../readable.js';
import { visibleIn, visibleNamespaces, type Place, type ReadingAll } from '../visible.js';
import { CLUSTER_ROUTES } from './schemas.js';

/** The clusters that the user may read, and what runs there of the Applications that he may list. */
export function addV1Clusters(app: FastifyInstance, reading: ApplicationRoutes & ReadingAll): void {
  const inventory = new Inventory(app, reading.kube);
  const { applications: cache } = reading;
  app.get('/clusters', { schema: CLUSTER_ROUTES.everywhere }, async (request) => {
    const query = clusterQueryOf(queryOf(request));
    const { user } = request;
    const { namespaces } = await visibleNamespaces(reading, user);
    const instead = [...(namespaces ?? [])].sort();
    const { views, ...gaps } = await inventory.of({ user, namespace: undefined, instead });
    const applications =
      namespaces === undefined ? cache.list() : instead.flatMap((each) => cache.byIndex(BY_NAMESPACE, each));
    const items = clustersBy(clusterItems(views, applications), query.sort);
    return { ...pageFrom(items, query, (item) => item), ...gaps };
  });
  app.get('/namespaces/:namespace/clusters', { schema: CLUSTER_ROUTES.inNamespace }, async (request) => {
    const query = clusterQueryOf(queryOf(request));
    const { user } = request;
    // The schema of the route has checked it.
    const { namespace } = request.params as Place;
    const applications = await visibleIn(reading, user, namespace);
    const { views, ...gaps } = await inventory.of({ user, namespace, instead: [] });
    const items = clustersBy(clusterItems(views, applications), query.sort);
    return { ...pageFrom(items, query, (item) => item), ...gaps };
  });
}
