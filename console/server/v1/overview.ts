import type { FastifyInstance } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import { overviewOf, type Overview } from '#controllers/read-model/overview.js';
import { visibleNamespaces, type Reading } from '../visible.js';
import { V1_ROUTES } from './schemas.js';

/** All Applications that the user may list, by clusters. */
export function addV1Overview(app: FastifyInstance, reading: Reading): void {
  app.get('/overview', { schema: V1_ROUTES.overview }, async (request): Promise<Overview> => {
    const allowed = await visibleNamespaces(reading, request.user);
    const isVisible = ({ metadata }: Application): boolean => allowed?.has(metadata.namespace ?? '') !== false;
    return overviewOf(reading.applications.list().filter(isVisible));
  });
}
