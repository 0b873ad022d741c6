import type { FastifyInstance, FastifyRequest } from 'fastify';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { syncAnnotations } from '#queries/views/requests.js';
import type { Cache } from '#runtime/controller.js';
import type { DeleteOptions, Kube } from '#runtime/client/kube.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { consoleDetail, consoleRow, summaryOf } from '../shared/kubesphere-answers.js';
import { isDryRun } from '../shared/write-query.js';
import { answerList, listQueryOf, type QueryString } from '../shared/list-query.js';
import { Refusal } from '../shared/refusal.js';
import { replacementOf } from '../shared/replacement.js';
import { createdFrom, sentApplication } from '../shared/sent-application.js';
import { syncRequest } from '../shared/sync-request.js';
import { fresh, inPlace } from './fresh.js';
import { sendList } from './long-list.js';
import { queryOf, ROUTES } from './schemas.js';
import { visible, visibleIn, type Place, type Reading } from './visible.js';

export interface ApplicationRoutes extends Reading {
  /** With our own rights; whatever is written goes as the user. */
  readonly kube: Kube;
  readonly applications: Pick<Cache<Application>, 'get' | 'list' | 'byIndex' | 'recordWrite' | 'onChange'>;
  /** For what tenants stored on their clusters. */
  readonly offload: Pick<Offload, 'run'>;
  /** A text that was not there before. */
  readonly timestamp: () => string;
}

/** What all writes say of who writes. */
export const WRITE = { fieldManager: `${FIELD_MANAGER}-console` };

function paramsOf(request: FastifyRequest): Place {
  // The schema of each route has checked them; `name` is there where the route has one.
  return request.params as Place;
}

/**
 * As somebody asks to delete it: `cascade=false` leaves what runs, whatever the Application says, and without it the
 * Application decides.
 */
function deletionOf({ cascade }: QueryString): DeleteOptions {
  const said = [cascade ?? []].flat().at(-1) ?? '';
  if (said === 'false') return { propagationPolicy: 'Orphan' };
  if (said === '' || said === 'true') return {};
  throw new Refusal(400, `cascade is ${JSON.stringify(said)}, and neither true nor false`);
}

function addReads(app: FastifyInstance, routes: ApplicationRoutes): void {
  app.get('/namespaces/:namespace/applications', { schema: ROUTES.list }, async (request, reply) => {
    const query = listQueryOf(queryOf(request));
    const { items, ...rest } = answerList(await visibleIn(routes, request.user, paramsOf(request).namespace), query);
    return sendList(reply, { items: items.map(consoleRow), ...rest });
  });
  app.get('/namespaces/:namespace/application-summary', { schema: ROUTES.summary }, async (request) =>
    summaryOf(await visibleIn(routes, request.user, paramsOf(request).namespace)),
  );
  app.get('/namespaces/:namespace/applications/:name', { schema: ROUTES.get }, async (request) =>
    consoleDetail(await visible(routes, request.user, paramsOf(request))),
  );
}

/** Writes as the user, so that the rights, the admission and the audit log of the API server are his. */
function addWrites(app: FastifyInstance, routes: ApplicationRoutes): void {
  const { kube, applications } = routes;
  const recorded = (answer: Application, { dryRun }: { readonly dryRun: boolean }): Application => {
    if (!dryRun) applications.recordWrite(answer);
    return withoutManagedFields(answer);
  };
  /** The console never says it, but what is only to be checked must not be carried out. */
  const optionsOf = (request: FastifyRequest) => ({ ...WRITE, dryRun: isDryRun(queryOf(request)) });
  app.post('/namespaces/:namespace/applications', { schema: ROUTES.create }, async (request) => {
    const { namespace } = paramsOf(request);
    const sent = sentApplication(request.body, { namespace });
    request.changed = { namespace, name: sent.metadata.name };
    const [object, options] = [createdFrom(sent, namespace), optionsOf(request)];
    return recorded(await kube.actingAs(request.user).create(applicationResource, object, options), options);
  });
  app.put('/namespaces/:namespace/applications/:name', { schema: ROUTES.replace }, async (request) => {
    const place = paramsOf(request);
    const sent = sentApplication(request.body, place);
    await visible(routes, request.user, place);
    const [own, options] = [kube.actingAs(request.user), optionsOf(request)];
    const replace = (live: Application) => own.update(applicationResource, replacementOf(live, sent), options);
    return recorded(await inPlace(sent, () => fresh(own, place), replace), options);
  });
  app.delete('/namespaces/:namespace/applications/:name', { schema: ROUTES.remove }, async (request) => {
    const place = paramsOf(request);
    const options = { ...deletionOf(queryOf(request)), dryRun: isDryRun(queryOf(request)) };
    const application = await visible(routes, request.user, place);
    // Another one of that name is not what was asked for.
    const { uid } = application.metadata;
    const existed = await kube.actingAs(request.user).delete(applicationResource, place, { ...options, uid });
    if (!existed) throw new Refusal(404, `applications "${place.name}" not found`);
    return application;
  });
  app.post('/namespaces/:namespace/applications/:name/sync', { schema: ROUTES.sync }, async (request) => {
    const [place, options] = [paramsOf(request), optionsOf(request)];
    const { isForced: force } = syncRequest(await visible(routes, request.user, place), request.body);
    const annotations = syncAnnotations({ at: routes.timestamp(), force });
    const patch = { type: 'merge' as const, body: { metadata: { annotations } } };
    return recorded(await kube.actingAs(request.user).patch(applicationResource, place, patch, options), options);
  });
}

/** The routes of ks-devops for Applications of all kinds, which the console of KubeSphere calls. */
export function addApplications(app: FastifyInstance, routes: ApplicationRoutes): void {
  addReads(app, routes);
  addWrites(app, routes);
}
