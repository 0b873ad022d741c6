import type { FastifyInstance } from 'fastify';
import type { Kube } from '#runtime/client/kube.js';
import { Sources } from '../sources.js';
import type { Place } from '../visible.js';
import { V1_ROUTES } from './schemas.js';

/** The sources that an Application of a namespace can be made from. */
export function addSources(app: FastifyInstance, { kube }: { readonly kube: Kube }): void {
  const sources = new Sources(app, kube);
  app.get('/namespaces/:namespace/sources', { schema: V1_ROUTES.sources }, (request) => {
    // The schema of the route has checked it.
    const { namespace } = request.params as Place;
    return sources.of({ user: request.user, namespace });
  });
}
