import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import { PrintedOverview } from '#controllers/read-model/overview.js';
import { BY_NAMESPACE } from '../readable.js';
import { visibleNamespaces, type ReadingAll } from '../visible.js';
import type { ApplicationRoutes } from '../applications.js';
import type { Allowed } from '../access.js';
import { takesGzip } from '../model/encoding.js';
import { KeptBodies } from './kept-bodies.js';
import { V1_ROUTES } from './schemas.js';

/** All Applications that the user may list, by clusters; made once for all who may list the same. */
export function addV1Overview(app: FastifyInstance, reading: ApplicationRoutes & ReadingAll): void {
  const { applications } = reading;
  const those = ({ namespaces }: Allowed): readonly Application[] =>
    namespaces === undefined
      ? applications.list()
      : [...namespaces].flatMap((namespace) => applications.byIndex(BY_NAMESPACE, namespace));
  const bodies = new KeptBodies((allowed: Allowed) => {
    const printed = new PrintedOverview();
    return () => printed.of(those(allowed));
  });
  applications.onChange(() => bodies.outdate());
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer> => {
    const body = bodies.of(await visibleNamespaces(reading, request.user));
    reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding');
    if (body.isSmall || !takesGzip(request.headers['accept-encoding'])) {
      reply.header('etag', `"${body.tag}"`);
      return body.bytes;
    }
    reply.header('etag', `"${body.tag}-gzip"`).header('content-encoding', 'gzip');
    return body.gzipped();
  };
  app.get('/overview', { schema: V1_ROUTES.overview }, answer);
}
