import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import type { RevisionSpec, Template } from '#api/v1alpha1/template.js';
import { readTemplateRevisions } from '#queries/host/template-revisions.js';
import type { PlanProblem } from '#queries/answers/plans.js';
import type { TemplatePreview, UserPreview } from '#queries/answers/templates.js';
import { readPlan } from '#queries/plans/planned.js';
import type { Reading } from '#queries/plans/reading.js';
import { PreviewError } from '#queries/plans/preview-error.js';
import { asIf, planDifference, type PlanDifference } from '#queries/plans/template-change.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { describeObject } from '#lib/net/urls.js';
import { createSchemaCheck, type CheckSchema } from '#runtime/isolation/schema-check.js';
import { findViolation, helmSpecOf } from '#controllers/template/model/validate.js';
import { WRITE } from '../applications.js';
import { sortedBy } from '../../shared/application-query.js';
import { Refusal } from '../../shared/refusal.js';
import { specAt } from '../../shared/template-item.js';
import { askedTemplateIn, pinnedRevisions, type AskedTemplate } from '../../shared/template-preview.js';
import {
  templatesOf,
  templateTypeOf,
  visibleTemplate,
  visibleUsers,
  type TemplatePlace,
  type TemplateRoutes,
} from '../templates.js';
import type { ReadingAll } from '../visible.js';
import { refused, type PreviewAnswer } from './preview-answers.js';
import { TEMPLATE_ROUTES } from './template-schemas.js';

/** Users of which it is said what would change. Each costs two plans. */
const MOST_USERS = 20;
/** Milliseconds after which no other one is begun: the answer has to come in time. */
const BEGIN_MS = 10_000;

type Wanted = { readonly spec: RevisionSpec } | { readonly problems: readonly PlanProblem[] };

/** As the API server would store it, or what it refuses: it needs the right to update it. */
async function storedSpec(kube: Kube, template: Template, spec: object, signal: AbortSignal): Promise<Wanted> {
  const type = templateTypeOf(template.kind);
  const live = await kube.get<Template>(type, template.metadata, { signal });
  if (live === undefined) throw new Refusal(404, `${type.plural} "${template.metadata.name}" not found`);
  try {
    const changed = { ...live, spec } as Template; // the API server checks it
    return { spec: (await kube.update<Template>(type, changed, { ...WRITE, dryRun: true, signal })).spec };
  } catch (error: unknown) {
    const status = apiStatusOf(error);
    if (status?.reason !== 'Invalid' || status.causes.length === 0) throw error;
    return { problems: status.causes.map(({ field, message }) => ({ field, message })) };
  }
}

async function wantedOf(template: Template, asked: AskedTemplate, { kube, signal }: Reading): Promise<Wanted> {
  if ('spec' in asked) return storedSpec(kube, template, asked.spec, signal);
  return { spec: specAt(await readTemplateRevisions(kube, template, signal), asked.revision) };
}

/** What the controller of templates would have against it. */
async function violationsOf(
  template: Template,
  spec: RevisionSpec,
  check: (question: Parameters<CheckSchema>[0]) => ReturnType<CheckSchema>,
): Promise<PlanProblem[]> {
  const changed = { ...template, spec } as Template; // of the same kind
  const schema = helmSpecOf(changed)?.valuesSchema;
  const result = schema && (await check({ schema, values: [{}] }));
  const schemaProblem = result !== undefined && 'problem' in result ? result.problem : undefined;
  const violation = findViolation(changed, { allowCrossNamespace: true, schemaProblem });
  return violation === undefined ? [] : [{ field: '', message: violation.message }];
}

const NOTHING: PlanDifference = { problems: [], children: [], notes: [], unchanged: 0 };

/** Throws a PreviewError if there is too much. */
async function previewOf(
  application: Application,
  template: Template,
  spec: RevisionSpec,
  reading: Reading,
): Promise<UserPreview> {
  const about = { application: keyOf(application.metadata), pinned: pinnedRevisions(application, template) };
  try {
    // It is about the difference, for many.
    const asksClusters = false;
    const before = await readPlan(application, reading, { asksClusters });
    const after = await readPlan(application, reading, { asksClusters, replace: asIf(template, spec) });
    return { ...about, problem: '', ...planDifference(before, after) };
  } catch (error: unknown) {
    if (!(error instanceof PreviewError) || error.reason === 'TooLarge') throw error;
    return { ...about, problem: error.message, ...NOTHING };
  }
}

/** One after the other, as long as there is time. */
async function usersOf(
  applications: readonly Application[],
  template: Template,
  spec: RevisionSpec,
  reading: Reading,
): Promise<Pick<TemplatePreview, 'users' | 'more'>> {
  const begun = performance.now();
  const users: UserPreview[] = [];
  for (const application of applications.slice(0, MOST_USERS)) {
    if (performance.now() - begun > BEGIN_MS) break;
    try {
      users.push(await previewOf(application, template, spec, reading));
    } catch (error: unknown) {
      // Of the first one, it says why; of others, that they are left out.
      if (!(error instanceof PreviewError) || users.length === 0) refused(error);
      break;
    }
  }
  return { users, more: applications.length - users.length };
}

/** What a change of a template would do to the Applications that use it. */
export function addTemplatePreview(
  app: FastifyInstance,
  routes: TemplateRoutes & ReadingAll,
  answered: PreviewAnswer,
): void {
  const templates = templatesOf(routes);
  const checkSchema = createSchemaCheck(routes.offload);
  const preview = async (request: FastifyRequest, template: Template, reading: Reading): Promise<TemplatePreview> => {
    const about = { template: describeObject(template.kind, template.metadata) };
    const wanted = await wantedOf(template, askedTemplateIn(request.body), reading);
    const { applications, hidden } = await visibleUsers(routes, request.user, template);
    const nobody = { users: [], more: applications.length, hidden };
    if ('problems' in wanted) return { ...about, problems: wanted.problems, ...nobody };
    // Its namespace must not wait for what anybody who may read it asks.
    const tenant = `user ${request.user.username}`;
    const problems = await violationsOf(template, wanted.spec, (question) => checkSchema(question, tenant));
    if (problems.length > 0) return { ...about, problems, ...nobody };
    return {
      ...about,
      problems,
      hidden,
      ...(await usersOf(sortedBy(applications, 'name'), template, wanted.spec, reading)),
    };
  };
  const options = { schema: TEMPLATE_ROUTES.preview, config: { writesNothing: true } };
  app.post('/namespaces/:namespace/templates/:kind/:name/preview', options, async (request, reply) => {
    // The schema of the route has checked it.
    const template = await visibleTemplate(templates, request.user, request.params as TemplatePlace);
    askedTemplateIn(request.body);
    return answered(request, reply, (reading) => preview(request, template, reading));
  });
}
