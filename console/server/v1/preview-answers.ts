import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Budget } from '#queries/plans/budget.js';
import type { Reading } from '#queries/plans/reading.js';
import { PreviewError } from '#queries/plans/preview-error.js';
import type { ApplicationRoutes } from '../applications.js';
import { Refusal } from '../../shared/refusal.js';
import { Turns } from '../turns.js';

/** What previews are computed with, besides the rights of the user. */
export type Workbench = Pick<Reading, 'findRenderer' | 'offload'>;

export interface PreviewOptions extends ApplicationRoutes {
  readonly workbench: Workbench;
}

/** They are computed on this thread, so that others wait. */
const PREVIEWS = { perUser: 2, total: 6, what: 'previews' };
/** A connection is closed when it is silent for 30 seconds: the answer has to come before. */
const PREVIEW_MS = 20_000;
/** Of one answer. All that may be under way together has to fit into memory. */
const COSTS = { objects: 10_000, bytes: 32_000_000, characters: 8_000_000 };

/** Throws a Refusal with what is wrong. */
export function refused(error: unknown, cluster?: string): never {
  if (!(error instanceof PreviewError)) throw error;
  if (error.reason === 'Forbidden') throw new Refusal(403, error.message, { cause: error });
  if (error.reason !== 'NoDestination') throw new Refusal(422, error.message, { cause: error });
  throw new Refusal(400, `cluster ${JSON.stringify(cluster)}: ${error.message}`, { cause: error });
}

/** Takes one of the turns of the user. */
export type PreviewAnswer = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (reading: Reading) => Promise<T>,
) => Promise<T>;

/** All previews of a server share their turns. */
export function previewAnswers(app: FastifyInstance, { kube, workbench }: PreviewOptions): PreviewAnswer {
  const turns = new Turns(app, PREVIEWS);
  return ({ user }, { raw: response }, work) => {
    const budget = new Budget(COSTS);
    const own = { ...workbench, kube: kube.actingAs(user, budget), budget };
    return turns.until(user, { response, limitMs: PREVIEW_MS }, (signal) => work({ ...own, signal }));
  };
}
