import type { FastifyInstance, FastifyRequest } from 'fastify';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import { kindToSave, savedName } from '#controllers/application/model/spec/saved-template.js';
import { type Kube, type RequestOptions, retryConflicts } from '#runtime/client/kube.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { doneText, requestPatch } from '#queries/views/requests.js';
import type { AnnotationRequest } from '#queries/views/rollout-requests.js';
import { WRITE, type ApplicationRoutes } from '../applications.js';
import { freshSeen } from '../fresh.js';
import { actionQueryIn, type ActionQuery } from '../../shared/write-query.js';
import { ACTIONS, requestedBy, saidIn, type Action } from '../../shared/action.js';
import { detailOf } from '../../shared/application-detail.js';
import type { Acted } from '#queries/answers/application.js';
import { queryOf } from '../schemas.js';
import { templateTypeOf } from '../templates.js';
import { visible, type Place } from '../visible.js';
import { revisionsOf } from './history.js';
import { actionRoute } from './schemas.js';

function namesOfSaved(application: Application): NonNullable<Acted['template']> {
  const { namespace = '' } = application.metadata;
  return { namespace, kind: kindToSave(application), name: savedName(application) };
}

/** The template of the name that it would be saved as, as the user may read it. */
function savedAs(kube: Kube, application: Application, options: RequestOptions): Promise<Template | undefined> {
  const { namespace, name } = namesOfSaved(application);
  return kube.get<Template>(templateTypeOf(kindToSave(application)), { namespace, name }, options);
}

export interface Asked {
  readonly action: Action;
  readonly place: Place;
  readonly query: ActionQuery;
  readonly said: ReturnType<typeof saidIn>;
}

/** What the request asks for; the schema of each route has checked it. */
export function askedIn(action: Action, { params, query, body }: FastifyRequest): Asked {
  return { action, place: params as Place, query: actionQueryIn(queryOf({ query })), said: saidIn(body, action) };
}

interface Written {
  readonly requested: AnnotationRequest;
  readonly patched: Application;
}

/** The signal is for dry runs: a write goes on without whoever asked for it. */
type Writing = Pick<ApplicationRoutes, 'timestamp'> & Pick<RequestOptions, 'signal'>;

/** Asks for it as the user, or has the API server check it, of the Application as it is now. */
export function written(
  kube: Kube,
  { timestamp, signal }: Writing,
  { action, place, query: { uid, dryRun }, said }: Asked,
): Promise<Written> {
  return retryConflicts(async () => {
    const application = await freshSeen(kube, place, { uid, signal });
    const kept = action.needsRevisions ? await revisionsOf(kube, application, { signal }) : [];
    const numbers = kept.map(({ revision }) => revision);
    const template = action.needsTemplate === true ? await savedAs(kube, application, { signal }) : undefined;
    const requested = requestedBy(action, { application, said, kept: numbers, template, at: timestamp() });
    const patch = { type: 'merge' as const, body: requestPatch(application, requested) };
    const patched = await kube.patch<Application>(applicationResource, place, patch, { ...WRITE, dryRun, signal });
    return { requested, patched };
  });
}

async function act(routes: ApplicationRoutes, action: Action, request: FastifyRequest): Promise<Acted> {
  const asked = askedIn(action, request);
  const { dryRun } = asked.query;
  await visible(routes, request.user, asked.place);
  const { requested, patched } = await written(routes.kube.actingAs(request.user), routes, asked);
  if (!dryRun) routes.applications.recordWrite(patched);
  const acted = { done: doneText(requested.done, dryRun), application: detailOf(withoutManagedFields(patched)) };
  return action.needsTemplate === true ? { ...acted, template: namesOfSaved(patched) } : acted;
}

/** What users ask of an Application, written as the user. */
export function addActions(app: FastifyInstance, routes: ApplicationRoutes): void {
  for (const action of ACTIONS) {
    const path = `/namespaces/:namespace/applications/:name/${action.path}`;
    app.post(path, { schema: actionRoute(action) }, (request) => act(routes, action, request));
  }
}
