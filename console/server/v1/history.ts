import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { integer, list, object, optional, text, time } from '#api/schema.js';
import { compareRevisions } from '#queries/plans/compare-revisions.js';
import { readHistory } from '#queries/plans/history.js';
import { historyAnswer, type HistoryAnswer } from '../../shared/history-answer.js';
import type { QueryString } from '../../shared/list-query.js';
import { refuseOtherKeys } from '../../shared/query-keys.js';
import { Refusal } from '../../shared/refusal.js';
import { shownDifferences, type ShownDifferences } from '../../shared/shown-differences.js';
import type { ApplicationRoutes } from '../applications.js';
import { queryOf } from '../query.js';
import { Turns } from '../turns.js';
import { type Place, visible } from '../visible.js';
import { withinBudget } from '../within-budget.js';
import { onApplication } from './schemas.js';

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

const Revision = object('A revision.', {
  revision: integer('Number.'),
  states: list('What can be said of it.', text('State.')),
  createdAt: time('Time of creation; empty if it is not kept.'),
  cause: text('Why it was made.'),
  changes: list('Fields that differ from the one before it; the first ones.', text('Field.')),
  moreChanges: integer('Number of others.'),
  clusters: list('Clusters that were last changed by it.', text('Cluster.')),
  pinnedClusters: list('Clusters that are pinned to it by themselves.', text('Cluster.')),
  haltedAt: optional(text('Stage at which its rollout is halted.')),
});

const ROUTES = {
  history: {
    ...onApplication,
    response: {
      200: object('Revisions, and what is where.', {
        revisions: list('The newest first.', Revision),
        unknown: list('Clusters with a child that does not say which revision it has.', text('Cluster.')),
        forbidden: list('Kinds of children that the user may not list.', text('Kind.')),
      }),
    },
    summary: 'Show the revisions of an Application and which clusters have them',
  },
  diff: {
    ...onApplication,
    querystring: Type.Object({ from: text('Revision.'), to: text('Revision.') }),
    response: {
      200: object('What differs.', {
        differences: list(
          'Fields that differ; the first ones.',
          object('Field.', {
            path: text('JSON pointer into the Application, with its templates merged.'),
            old: text('Value as JSON, shortened; empty if there is none.'),
            new: text('Value as JSON, shortened; empty if there is none.'),
          }),
        ),
        more: integer('Number of others.'),
      }),
    },
    summary: 'Compare two revisions of an Application',
  },
};

/** Revisions of Applications, read by the user himself. */
export function addHistory(app: FastifyInstance, routes: ApplicationRoutes): void {
  const turns = new Turns(app, READS);
  const read = (request: FastifyRequest) => visible(routes, request.user, request.params as Place);
  app.get(
    '/namespaces/:namespace/applications/:name/history',
    { schema: ROUTES.history },
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
    { schema: ROUTES.diff },
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
