import type { FastifyInstance } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import { readExplained } from '#controllers/preview/explained.js';
import { explanationGroups, explanationView } from '#controllers/preview/explanation-groups.js';
import { limitLines } from '#controllers/preview/limits.js';
import { PreviewError } from '#controllers/preview/preview-error.js';
import type { Reading } from '#controllers/preview/reading.js';
import type { ExplanationView } from '#controllers/read-model/explanation-view.js';
import { untilAborted } from '#controllers/runtime/signals.js';
import type { ApplicationRoutes } from '../applications.js';
import type { QueryString } from '../model/list-query.js';
import { memberQueryOf } from '../model/member-query.js';
import { Refusal } from '../model/refusal.js';
import { Turns } from '../turns.js';
import { visible, type Place } from '../visible.js';
import { PREVIEW_ROUTES } from './preview-schemas.js';

/** What previews are computed with, beside the rights of the user. */
export type Workbench = Pick<Reading, 'findRenderer' | 'offload'>;

export interface PreviewOptions extends ApplicationRoutes {
  readonly workbench: Workbench;
}

/** They are computed on this thread, so that others wait. */
const PREVIEWS = { perUser: 2, total: 6, what: 'previews' };
/** A connection is closed when it is silent for 30 seconds: the answer has to come before. */
const PREVIEW_MS = 20_000;
/** Objects of one type that are read, and characters of what is computed, for one answer. */
const MOST_READ = 10_000;
const MOST_CHARACTERS = 8_000_000;

interface Values extends ExplanationView {
  /** What the user may not read, and what he should know. */
  readonly notes: readonly string[];
}

/** Throws a Refusal with what is wrong. */
function refused(error: unknown, cluster: string | undefined): never {
  if (!(error instanceof PreviewError)) throw error;
  if (error.reason !== 'NoDestination') throw new Refusal(422, error.message, { cause: error });
  throw new Refusal(400, `cluster ${JSON.stringify(cluster)}: ${error.message}`, { cause: error });
}

/** A thread that computes for a user who is gone ends by itself. */
async function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = untilAborted(signal).then(() => {
    throw new Refusal(503, 'no answer in time: ask for one cluster, or ask again');
  });
  return Promise.race([work, late]);
}

async function valuesOf(application: Application, cluster: string | undefined, reading: Reading): Promise<Values> {
  const read = readExplained(application, { cluster, mostCharacters: MOST_CHARACTERS }, reading);
  const { application: explained, limits, unrendered } = await read.catch((error: unknown) => refused(error, cluster));
  const view = explanationView(application, explanationGroups(explained.destinations, unrendered));
  return { ...view, notes: [...limitLines(limits), ...explained.warnings] };
}

/** What the controllers would do, by their own code, and by what the user may read. Nothing is written. */
export function addPreviews(app: FastifyInstance, routes: PreviewOptions): void {
  const turns = new Turns(PREVIEWS);
  app.addHook('preClose', (done) => {
    turns.stop();
    done();
  });
  app.get(
    '/namespaces/:namespace/applications/:name/values',
    { schema: PREVIEW_ROUTES.values },
    async (request, reply) => {
      // What the schemas of fastify call unknown is what the URL says.
      const { cluster } = memberQueryOf(request.query as QueryString);
      const application = await visible(routes, request.user, request.params as Place);
      const signal = turns.begin(request.user, reply.raw, PREVIEW_MS);
      const reading = { ...routes.workbench, kube: routes.kube.actingAs(request.user), signal, most: MOST_READ };
      return inTime(valuesOf(application, cluster, reading), signal);
    },
  );
}
