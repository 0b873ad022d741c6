import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { answerErrors } from '../errors.js';
import { refuseOtherKeys } from '../../shared/list-query.js';
import { Namespaces } from '../namespaces.js';
import { queryOf } from '../schemas.js';
import type { TemplateRoutes } from '../templates.js';
import { RECHECK_MS } from '../until-refused.js';
import { addAcceptCluster } from './accept-cluster.js';
import { addActionPreviews } from './action-previews.js';
import { addActions } from './actions.js';
import { addApplicationSchema, addSources } from './form-data.js';
import { addV1Applications } from './applications.js';
import { addV1Clusters } from './clusters.js';
import { addHistory } from './history.js';
import { addMembers } from './members.js';
import { previewAnswers, type PreviewOptions } from './preview-answers.js';
import { addPreviews } from './previews.js';
import { addStream, type StreamLimits } from './stream.js';
import { addV1Writes } from './writes.js';
import { addV1Overview } from './overview.js';
import { addTemplatePreview } from './template-preview.js';
import { addTemplates } from './templates.js';

function digestOf(payload: string): string {
  return `"${createHash('sha256').update(payload).digest('base64url')}"`;
}

/**
 * A digest of what is answered, if the route has set none: an unchanged answer is sent once. `If-None-Match` may name
 * several, and `*` stands for any.
 */
function addTags(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const tag = reply.getHeader('etag') ?? (typeof payload === 'string' ? digestOf(payload) : undefined);
    if (request.method !== 'GET' || reply.statusCode !== 200 || typeof tag !== 'string') {
      done(null, payload);
      return;
    }
    reply.header('etag', tag).header('cache-control', 'private, no-cache');
    const known = (request.headers['if-none-match'] ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''));
    if (!known.includes(tag) && !known.includes('*')) {
      done(null, payload);
      return;
    }
    for (const header of ['content-type', 'content-length', 'content-encoding']) reply.removeHeader(header);
    reply.code(304);
    done(null, '');
  });
}

/** A query may say what the schema of its route names, and nothing else. */
function checkQueries(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const { querystring } = (request.routeOptions.schema ?? {}) as { querystring?: { properties: object } };
    refuseOtherKeys(queryOf(request), Object.keys(querystring?.properties ?? {}));
    done();
  });
}

/** What the routes need, and the log for errors that nobody expected. */
export interface V1Options extends PreviewOptions, TemplateRoutes {
  readonly log: Logger;
  readonly streams?: Partial<StreamLimits>;
  /** Milliseconds after which who reads a log, or changes, is asked for again; default 30 s. */
  readonly recheckMs?: number;
}

/** Our own API, below the prefix of the instance. Its errors are a Status of Kubernetes, which programs can read. */
export function addV1(app: FastifyInstance, options: V1Options): void {
  addTags(app);
  checkQueries(app);
  answerErrors(app, options.log, 'status');
  const reading = { ...options, namespaces: new Namespaces(options.applications) };
  const answered = previewAnswers(app, options);
  const { recheckMs = RECHECK_MS } = options;
  addV1Applications(app, reading, answered);
  addV1Writes(app, options);
  addActions(app, options);
  addActionPreviews(app, options, answered);
  addAcceptCluster(app, options);
  addMembers(app, options, recheckMs);
  addPreviews(app, options, answered);
  addHistory(app, options);
  addStream(app, options, { ...options.streams, recheckMs });
  addV1Overview(app, reading);
  addTemplates(app, reading);
  addTemplatePreview(app, reading, answered);
  addV1Clusters(app, reading);
  addSources(app, options);
  addApplicationSchema(app);
}
