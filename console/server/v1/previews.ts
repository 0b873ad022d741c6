import type { FastifyInstance } from 'fastify';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { shownCluster } from '#api/v1alpha1/cluster-name.js';
import { readExplained } from '#queries/plans/explained.js';
import { explanationGroups, explanationView } from '#queries/plans/explanation-groups.js';
import { limitLines } from '#queries/plans/limits.js';
import { readPlan, type Planned } from '#queries/plans/planned.js';
import type { Reading } from '#queries/plans/reading.js';
import type { DiffAnswer, ExplanationAnswer, PlannedApplication, PlanProblem } from '#queries/answers/plans.js';
import type { Kube } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { WRITE } from '../applications.js';
import { fresh, inPlace } from '../fresh.js';
import { memberQueryOf } from '../../shared/member-query.js';
import { Refusal } from '../../shared/refusal.js';
import { replacementOf } from '../../shared/replacement.js';
import { createdFrom, sentApplication, type SentApplication } from '../../shared/sent-application.js';
import { queryOf } from '../schemas.js';
import { visible, type Place } from '../visible.js';
import { refused, type PreviewAnswer, type PreviewOptions } from './preview-answers.js';
import { PREVIEW_ROUTES } from './member-schemas.js';

async function valuesOf(
  application: Application,
  cluster: string | undefined,
  reading: Reading,
): Promise<ExplanationAnswer> {
  const read = readExplained(application, { cluster }, reading);
  const { application: explained, limits, unrendered } = await read.catch((error: unknown) => refused(error, cluster));
  const view = explanationView(application, explanationGroups(explained.destinations, unrendered));
  return { ...view, notes: [...limitLines(limits), ...explained.warnings] };
}

/** Whether there is such an Application, and what would be stored, or what is wrong with it. */
type Checked = { readonly exists: boolean } & (
  { readonly stored: Application } | { readonly problems: readonly PlanProblem[] }
);

/** What is to be stored, as the API server would store it, or what it refuses. */
async function checkedBy(
  kube: Kube,
  sent: SentApplication,
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<Checked> {
  const { name } = sent.metadata;
  const options = { ...WRITE, dryRun: true, signal };
  const read = () => kube.get<Application>(applicationResource, { namespace, name }, { signal });
  return inPlace(sent, read, async (live) => {
    const exists = live !== undefined;
    try {
      const stored = exists
        ? await kube.update(applicationResource, replacementOf(live, sent), options)
        : await kube.create(applicationResource, createdFrom(sent, namespace), options);
      return { stored, exists };
    } catch (error: unknown) {
      const status = apiStatusOf(error);
      if (status?.reason !== 'Invalid' || status.causes.length === 0) throw error;
      return { exists, problems: status.causes.map(({ field, message }) => ({ field, message })) };
    }
  });
}

function planOf(application: Application, reading: Reading): Promise<Planned> {
  return readPlan(application, reading).catch((error: unknown) => refused(error));
}

async function previewOf(sent: SentApplication, namespace: string, reading: Reading): Promise<PlannedApplication> {
  const checked = await checkedBy(reading.kube, sent, { namespace, signal: reading.signal });
  const application = `${namespace}/${sent.metadata.name}`;
  if ('problems' in checked) return { application, children: [], notes: [], ...checked };
  const { problems, children, notes } = await planOf(checked.stored, reading);
  return { application, exists: checked.exists, problems, children, notes };
}

async function diffOf(place: Place, cluster: string | undefined, reading: Reading): Promise<DiffAnswer> {
  const application = await fresh(reading.kube, place);
  const plan = await planOf(application, reading);
  const names = [...plan.children, ...plan.published].map((each) => each.cluster);
  const shown = cluster === undefined ? undefined : shownCluster(cluster, names, place.namespace);
  if (typeof shown === 'object') throw new Refusal(400, `cluster ${JSON.stringify(cluster)}: ${shown.problem}`);
  const isMeant = (each: { readonly cluster: string }): boolean => cluster === undefined || each.cluster === shown;
  const [children, published] = [plan.children.filter(isMeant), plan.published.filter(isMeant)];
  if (cluster !== undefined && children.length + published.length === 0) {
    throw new Refusal(400, `cluster ${JSON.stringify(cluster)}: nothing is deployed there, and nothing would be`);
  }
  return { application: `${place.namespace}/${place.name}`, ...plan, children, published };
}

/** What the controllers would do, by their own code, and by what the user may read. Nothing is written. */
export function addPreviews(app: FastifyInstance, routes: PreviewOptions, answered: PreviewAnswer): void {
  const application = '/namespaces/:namespace/applications/:name';
  app.get(`${application}/values`, { schema: PREVIEW_ROUTES.values }, async (request, reply) => {
    const { cluster } = memberQueryOf(queryOf(request));
    const shown = await visible(routes, request.user, request.params as Place);
    return answered(request, reply, (reading) => valuesOf(shown, cluster, reading));
  });
  app.get(`${application}/diff`, { schema: PREVIEW_ROUTES.diff }, async (request, reply) => {
    const { cluster } = memberQueryOf(queryOf(request));
    const place = request.params as Place;
    await visible(routes, request.user, place);
    return answered(request, reply, (reading) => diffOf(place, cluster, reading));
  });
  const isRead = { config: { writesNothing: true } };
  app.post('/namespaces/:namespace/preview', { schema: PREVIEW_ROUTES.preview, ...isRead }, async (request, reply) => {
    const { namespace } = request.params as Place;
    const sent = sentApplication(request.body, { namespace });
    return answered(request, reply, (reading) => previewOf(sent, namespace, reading));
  });
}
