import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import { OverviewPrinter } from '#queries/views/overview.js';
import { BY_NAMESPACE } from '../readable.js';
import { visibleNamespaces, type ReadingAll } from '../visible.js';
import type { ApplicationRoutes } from '../applications.js';
import type { Allowed } from '../access.js';
import { takesGzip } from '../../shared/request-headers.js';
import type { QueryString } from '../../shared/list-query.js';
import { Refusal } from '../../shared/refusal.js';
import { queryOf } from '../schemas.js';
import { KeptOverviews } from './kept-overviews.js';
import { V1_ROUTES } from './schemas.js';

const GZIP = '-gzip';

/** Of a tag that a reader has; undefined if he has none. Throws a Refusal (400) if he says two. */
function tagOf({ since }: QueryString): string | undefined {
  if (typeof since === 'object') throw new Refusal(400, `since: it was sent ${since.length} times`);
  return since?.endsWith(GZIP) === true ? since.slice(0, -GZIP.length) : since;
}

/** All Applications that the user may list, by clusters; made once for all who may list the same. */
export function addV1Overview(app: FastifyInstance, reading: ApplicationRoutes & ReadingAll): void {
  const { applications } = reading;
  const those = ({ namespaces }: Allowed): readonly Application[] =>
    namespaces === undefined
      ? applications.list()
      : [...namespaces].flatMap((namespace) => applications.byIndex(BY_NAMESPACE, namespace));
  const bodies = new KeptOverviews((allowed: Allowed) => {
    const printer = new OverviewPrinter();
    return () => printer.print(those(allowed));
  });
  applications.onChange(() => bodies.outdate());
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<Buffer | string> => {
    const since = tagOf(queryOf(request));
    const body = bodies.of(await visibleNamespaces(reading, request.user));
    reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding');
    const update = since === undefined ? undefined : body.since(since);
    if (update !== undefined || body.isSmall || !takesGzip(request.headers['accept-encoding'])) {
      reply.header('etag', `"${body.tag}"`);
      return update ?? body.bytes;
    }
    reply.header('etag', `"${body.tag}${GZIP}"`).header('content-encoding', 'gzip');
    return body.gzipped();
  };
  app.get('/overview', { schema: V1_ROUTES.overview }, answer);
}
