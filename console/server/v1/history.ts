import type { FastifyInstance, FastifyRequest } from 'fastify';
import { compareRevisions } from '#queries/plans/compare-revisions.js';
import { readHistory } from '#queries/plans/history.js';
import { historyAnswer } from '../../shared/history-answer.js';
import type { HistoryAnswer, ShownDifferences } from '#queries/answers/revisions.js';
import type { QueryString } from '../../shared/list-query.js';
import { refuseOtherKeys } from '../../shared/query-keys.js';
import { Refusal } from '../../shared/refusal.js';
import { shownDifferences } from '../../shared/shown-differences.js';
import type { ApplicationRoutes } from '../applications.js';
import { queryOf } from '../query.js';
import { Turns } from '../turns.js';
import { type Place, visible } from '../visible.js';
import { withinBudget } from '../within-budget.js';
import { V1_ROUTES } from './schemas.js';

/** Which revisions are compared. */
interface DiffQuery {
  readonly from: number;
  readonly to: number;
}

function revisionIn(query: QueryString, key: string): number {
  const { [key]: text } = query;
  if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Refusal(400, `${key}: it must be the number of a revision`);
}

/** Throws a Refusal (400) that names the key. */
export function diffQueryOf(query: QueryString): DiffQuery {
  refuseOtherKeys(query, ['from', 'to']);
  return { from: revisionIn(query, 'from'), to: revisionIn(query, 'to') };
}

/** Each reads all revisions, which may be as large as a spec is. */
const READS = { perUser: 3, total: 10, what: 'histories' };
const READ_MS = 20_000;

/** Revisions of Applications, read by the user himself. */
export function addHistory(app: FastifyInstance, routes: ApplicationRoutes): void {
  const turns = new Turns(app, READS);
  const read = (request: FastifyRequest) => visible(routes, request.user, request.params as Place);
  app.get(
    '/namespaces/:namespace/applications/:name/history',
    { schema: V1_ROUTES.history },
    async (request, reply): Promise<HistoryAnswer> => {
      const application = await read(request);
      const signal = turns.begin(request.user, reply.raw, READ_MS);
      const { view, forbidden } = await withinBudget(routes.kube, request.user, (own) =>
        readHistory(own, application, signal),
      );
      return historyAnswer(view, forbidden);
    },
  );
  app.get(
    '/namespaces/:namespace/applications/:name/history/diff',
    { schema: V1_ROUTES.historyDiff },
    async (request, reply): Promise<ShownDifferences> => {
      const application = await read(request);
      const compared = diffQueryOf(queryOf(request));
      const signal = turns.begin(request.user, reply.raw, READ_MS);
      const comparison = await withinBudget(routes.kube, request.user, (own) =>
        compareRevisions(own, application, compared, signal),
      );
      if ('refused' in comparison) throw new Refusal(404, `${application.metadata.name}: ${comparison.refused}`);
      return shownDifferences(comparison.differences);
    },
  );
}
