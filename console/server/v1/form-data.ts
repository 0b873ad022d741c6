import type { FastifyInstance } from 'fastify';
import { openObject } from '#api/schema.js';
import { applicationSchema } from '../../shared/application-schema.js';
import { answers, V1_ROUTES } from './schemas.js';
import type { Kube } from '#runtime/client/kube.js';
import { Sources } from '../sources.js';
import type { Place } from '../visible.js';

const schema = {
  ...answers(openObject('JSON schema.')),
  summary: 'Get the JSON schema of what may be written of an Application',
};

/** It is the same for everybody, and as public as the program. */
export function addApplicationSchema(app: FastifyInstance): void {
  const body = applicationSchema();
  app.get('/schemas/application', { schema }, () => body);
}

/** The sources that an Application of a namespace can be made from. */
export function addSources(app: FastifyInstance, { kube }: { readonly kube: Kube }): void {
  const sources = new Sources(app, kube);
  app.get('/namespaces/:namespace/sources', { schema: V1_ROUTES.sources }, (request) => {
    // The schema of the route has checked it.
    const { namespace } = request.params as Place;
    return sources.of({ user: request.user, namespace });
  });
}
