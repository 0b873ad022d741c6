import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Template } from '#api/v1alpha1/template.js';
import { missingNamespaces } from '#queries/host/missing-namespaces.js';
import { doneText, shareRequest } from '#queries/views/requests.js';
import { type Kube, retryConflicts } from '#runtime/client/kube.js';
import { withoutManagedFields } from '#lib/kube/managed-fields.js';
import { createSchemaCheck } from '#runtime/isolation/schema-check.js';
import { WRITE } from '../applications.js';
import { actionQueryIn } from '../../shared/write-query.js';
import { Refusal } from '../../shared/refusal.js';
import { sharingIn } from '../../shared/sharing.js';
import { specAt, templateAnswer } from '../../shared/template-item.js';
import type { SharedTemplate } from '#queries/answers/templates.js';
import { applicationOf, schemaQuestion, templateUseIn, valuesProblems } from '../../shared/template-use.js';
import { queryOf } from '../schemas.js';
import { Turns } from '../turns.js';
import {
  templateTypeOf,
  visibleTemplate,
  type TemplatePlace,
  type TemplateRoutes,
  type Templates,
} from '../templates.js';
import type { ReadRevisions } from './revision-reader.js';
import { TEMPLATE_ROUTES } from './template-schemas.js';

async function share(routes: TemplateRoutes, templates: Templates, request: FastifyRequest): Promise<SharedTemplate> {
  // The schema of the route has checked it.
  const place = request.params as TemplatePlace;
  const { dryRun, uid } = actionQueryIn(queryOf(request));
  const { add, remove } = sharingIn(request.body);
  await visibleTemplate(templates, request.user, place);
  const kube = routes.kube.actingAs(request.user);
  const [missing] = await missingNamespaces(kube, add);
  if (missing !== undefined) {
    throw new Refusal(400, `add: there is no namespace ${missing}: create it first, or correct the name`);
  }
  const { done, template } = await retryConflicts(() => shareOnce(kube, place, { add, remove, dryRun, uid }));
  if (!dryRun) routes.templates.find(({ type }) => type.kind === place.kind)?.recordWrite(template);
  return { done: doneText(done, dryRun), template: templateAnswer(template) };
}

interface Asked {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly dryRun: boolean;
  readonly uid: string | undefined;
}

async function shareOnce(kube: Kube, place: TemplatePlace, { add, remove, dryRun, uid }: Asked) {
  const type = templateTypeOf(place.kind);
  const live = await kube.get<Template>(type, place);
  if (live === undefined) throw new Refusal(404, `${type.plural} "${place.name}" not found`);
  if (uid !== undefined && uid !== live.metadata.uid) {
    throw new Refusal(409, `${type.plural} "${place.name}" is another one by now: look at it first`);
  }
  const requested = shareRequest({ template: live, add, remove });
  if ('problem' in requested) throw new Refusal(409, `${place.name}: ${requested.problem}`);
  const patch = { type: 'merge' as const, body: requested.body };
  const patched = await kube.patch<Template>(type, place, patch, { ...WRITE, dryRun });
  return { done: requested.done, template: withoutManagedFields(patched) };
}

/** The schema of a template may be as large as it is, and take seconds. */
const CHECKS = { perUser: 3, total: 10, what: 'checks of values' };
const CHECK_MS = 20_000;

/** Sharing of templates, and the Application that would use one. */
export function addTemplateActions(
  app: FastifyInstance,
  routes: TemplateRoutes,
  { templates, read, path }: { readonly templates: Templates; readonly read: ReadRevisions; readonly path: string },
): void {
  app.post(`${path}/share`, { schema: TEMPLATE_ROUTES.share }, (request) => share(routes, templates, request));
  const checkSchema = createSchemaCheck(routes.offload);
  const turns = new Turns(app, CHECKS);
  const isRead = { config: { writesNothing: true } };
  app.post(`${path}/use`, { schema: TEMPLATE_ROUTES.use, ...isRead }, async (request, reply) => {
    const use = templateUseIn(request.body);
    const template = await visibleTemplate(templates, request.user, request.params as TemplatePlace);
    const { revision } = use;
    const spec = revision === undefined ? template.spec : specAt(await read(request, reply, template), revision);
    const question = schemaQuestion(spec, use);
    // Another namespace must not wait for what a user asks in its name.
    const tenant = `user ${request.user.username}`;
    const waiting = { response: reply.raw, limitMs: CHECK_MS };
    const result = await turns.until(request.user, waiting, async () =>
      question === undefined ? { problems: [] } : checkSchema(question, tenant),
    );
    return { application: applicationOf(template, use), problems: valuesProblems(result) };
  });
}
