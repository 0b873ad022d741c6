import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readEvents } from '#queries/members/read-events.js';
import { readLiveDiff } from '#queries/members/read-live-diff.js';
import { readManifest } from '#queries/members/read-manifest.js';
import { readTree } from '#queries/members/read-tree.js';
import { chooseDestination } from '#queries/views/manifest-view.js';
import { destinationsOn } from '#queries/views/tree-view.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ApplicationRoutes } from '../applications.js';
import { logsQueryOf, manifestQueryOf, memberQueryOf } from '../../shared/member-query.js';
import { Refusal } from '../../shared/refusal.js';
import { queryOf } from '../schemas.js';
import { Turns } from '../turns.js';
import { visible, type Place } from '../visible.js';
import { sendLog } from './logs.js';
import { LOOKUP_LIMITS, memberReading } from './member-reading.js';
import { MEMBER_ROUTES } from './member-schemas.js';

const PLACE = '/namespaces/:namespace/applications/:name';
/** Clusters of tenants may answer slowly, and with much. */
const READS = { perUser: 3, total: 20, what: 'reads of clusters' };
const LOGS = { perUser: 5, total: 50, what: 'logs' };
/** Milliseconds until an answer ends. */
const READ_MS = 25_000;
/** Each object costs its cluster two requests. */
const COMPARE_MS = 10_000;
const LOG_MS = 60_000;
const FOLLOW_MS = 600_000;
/** Milliseconds that a connection lasts longer, so that its answer ends first. */
const LONGER_MS = 10_000;

/** Throws a Refusal (400) unless one destination is meant: what was deployed there may be large. */
async function chosenOf(routes: ApplicationRoutes, request: FastifyRequest) {
  const choice = manifestQueryOf(queryOf(request));
  const application = await visible(routes, request.user, request.params as Place);
  const chosen = chooseDestination(destinationsOn(application, undefined), choice);
  if ('problem' in chosen) throw new Refusal(400, chosen.problem);
  const { destination } = chosen;
  return { host: routes.kube.actingAs(request.user), application, destination };
}

function addOfDestination(app: FastifyInstance, routes: ApplicationRoutes, reads: Turns): void {
  app.get(`${PLACE}/manifest`, { schema: MEMBER_ROUTES.manifest }, async (request, reply) => {
    const { host, application, destination } = await chosenOf(routes, request);
    const signal = reads.begin(request.user, reply.raw, READ_MS);
    return readManifest(host, application, destination, { ...LOOKUP_LIMITS, signal, offload: routes.offload });
  });
  app.get(`${PLACE}/live-diff`, { schema: MEMBER_ROUTES.liveDiff }, async (request, reply) => {
    const { host, application, destination } = await chosenOf(routes, request);
    const signal = reads.begin(request.user, reply.raw, READ_MS);
    const limits = { ...LOOKUP_LIMITS, eachMs: COMPARE_MS, signal, offload: routes.offload };
    const [found] = await readLiveDiff(host, application, [destination], limits);
    return found;
  });
}

/** What runs on the clusters, read by the user himself: nothing here is asked with rights of the server. */
export function addMembers(app: FastifyInstance, routes: ApplicationRoutes, recheckMs: number): void {
  const [reads, logs] = [new Turns(app, READS), new Turns(app, LOGS)];
  app.get(`${PLACE}/tree`, { schema: MEMBER_ROUTES.tree }, async (request, reply) => {
    const query = memberQueryOf(queryOf(request));
    const begin = (): AbortSignal => reads.begin(request.user, reply.raw, READ_MS);
    const { host, application, signal } = await memberReading(routes, request, query, begin);
    return readTree(host, application, { ...query, ...LOOKUP_LIMITS, signal, offload: routes.offload });
  });
  app.get(`${PLACE}/events`, { schema: MEMBER_ROUTES.events }, async (request, reply) => {
    const query = memberQueryOf(queryOf(request));
    const begin = (): AbortSignal => reads.begin(request.user, reply.raw, READ_MS);
    const { host, application, destinations, signal } = await memberReading(routes, request, query, begin);
    return readEvents(host, application, destinations, { ...LOOKUP_LIMITS, signal, offload: routes.offload });
  });
  addOfDestination(app, routes, reads);
  const follow = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = logsQueryOf(queryOf(request));
    const limitMs = query.follow ? FOLLOW_MS : LOG_MS;
    const begin = (): AbortSignal => logs.begin(request.user, reply.raw, limitMs);
    const reading = await memberReading(routes, request, query, begin);
    if (query.follow) {
      // A program may say nothing for a while. The connection ends with its answer, so that no other one inherits this.
      reply.header('connection', 'close');
      reply.raw.setTimeout(limitMs + LONGER_MS);
    }
    const again = async (): Promise<Kube> => {
      const user = await request.identifyAgain();
      await visible(routes, user, request.params as Place);
      return routes.kube.actingAs(user);
    };
    return sendLog(reading, query, { reply, again, recheckMs });
  };
  app.get(`${PLACE}/logs`, { schema: MEMBER_ROUTES.logs, exposeHeadRoute: false }, follow);
}
