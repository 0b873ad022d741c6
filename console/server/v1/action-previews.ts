import type { FastifyInstance } from 'fastify';
import { readPlan } from '#queries/plans/planned.js';
import type { Reading } from '#queries/plans/reading.js';
import type { PlanAnswer } from '#queries/answers/plans.js';
import { keyOf } from '#lib/kube/keys.js';
import { ACTIONS } from '../../shared/action.js';
import { visible } from '../visible.js';
import { askedIn, written, type Asked } from './actions.js';
import { refused, type PreviewAnswer, type PreviewOptions } from './preview-answers.js';
import { actionPreviewRoute } from './member-schemas.js';

/** What the controller would do once the action were written, as the API server would store it. */
async function previewOf({ timestamp }: PreviewOptions, asked: Asked, reading: Reading): Promise<PlanAnswer> {
  const { kube, signal } = reading;
  const tried = { ...asked, query: { ...asked.query, dryRun: true } };
  const { patched } = await written(kube, { timestamp, signal }, tried);
  const plan = await readPlan(patched, reading).catch((error: unknown) => refused(error));
  const { problems, children, notes } = plan;
  return { application: keyOf(patched.metadata), problems, children, notes };
}

/** What would become of each child, for those actions that change that. Nothing is written. */
export function addActionPreviews(app: FastifyInstance, routes: PreviewOptions, answered: PreviewAnswer): void {
  for (const action of ACTIONS.filter(({ isPlanned }) => isPlanned === true)) {
    const path = `/namespaces/:namespace/applications/:name/${action.path}/preview`;
    const options = { schema: actionPreviewRoute(action), config: { writesNothing: true } };
    app.post(path, options, async (request, reply) => {
      const asked = askedIn(action, request);
      await visible(routes, request.user, asked.place);
      return answered(request, reply, (reading) => previewOf(routes, asked, reading));
    });
  }
}
