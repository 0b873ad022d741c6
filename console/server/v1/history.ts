import type { FastifyInstance, FastifyRequest } from 'fastify';
import { compareRevisions } from '#queries/plans/compare-revisions.js';
import { readHistory } from '#queries/plans/history.js';
import { historyAnswer, shownDifferences } from '../../shared/revision-answers.js';
import type { HistoryAnswer, ShownDifferences, RevisionItem } from '#queries/answers/revisions.js';
import { type QueryString, refuseOtherKeys } from '../../shared/list-query.js';
import { Refusal } from '../../shared/refusal.js';
import type { ApplicationRoutes } from '../applications.js';
import { queryOf } from '../schemas.js';
import { Turns } from '../turns.js';
import { type Place, visible } from '../visible.js';
import { withinBudget } from '../within-budget.js';
import { V1_ROUTES } from './schemas.js';
import { controllerRevisionResource } from '#api/core.js';
import type { Application, ApplicationRevision } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { keptRevisions } from '#controllers/application/model/spec/history.js';
import { listAll, type Kube, type RequestOptions } from '#runtime/client/kube.js';

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
      if ('problem' in comparison) throw new Refusal(404, `${application.metadata.name}: ${comparison.problem}`);
      return shownDifferences(comparison.differences);
    },
  );
}

/** Tenants write their metadata: a page has as many bytes as many of usual size need. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

/** Those that are kept, the newest first; `kube` is the user's. */
export async function revisionsOf(
  kube: Kube,
  application: Application,
  { signal }: Pick<RequestOptions, 'signal'> = {},
): Promise<RevisionItem[]> {
  const { namespace } = application.metadata;
  const query = { namespace, labelSelector: APPLICATION_REVISION, metadataOnly: true, maxBytes: MAX_PAGE_BYTES };
  const { items } = await listAll<ApplicationRevision>(kube, controllerRevisionResource, { ...query, signal });
  return keptRevisions(application, items).map(({ revision, object: { metadata } }) => {
    return { revision, createdAt: metadata.creationTimestamp ?? '', object: metadata.name };
  });
}
