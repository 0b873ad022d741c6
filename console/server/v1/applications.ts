import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '#api/v1alpha1/application.js';
import type { Pending } from '#api/v1alpha1/pending.js';
import { backendFor } from '#controllers/application/model/backends/index.js';
import { placesIn, sourceOf, type SourcePlace } from '#controllers/application/model/spec/flux-spec.js';
import { keyOf } from '#lib/kube/keys.js';
import { defined } from '#lib/plain.js';
import { readWaits } from '#queries/plans/planned.js';
import type { Reading } from '#queries/plans/reading.js';
import { PreviewError } from '#queries/plans/preview-error.js';
import { pendingViews, unlisted } from '#queries/views/pending-view.js';
import type { PendingPage, ReadApplication } from '#queries/answers/application.js';
import { detailOf } from '../../shared/application-detail.js';
import { type ApplicationQuery, applicationQueryOf } from '../../shared/application-query.js';
import { sliceOf } from '../../shared/page-query.js';
import type { ApplicationRoutes } from '../applications.js';
import { Ordered } from '../ordered.js';
import { queryOf } from '../schemas.js';
import { mayListIn, type Place, type ReadingAll, visible, visibleNamespaces } from '../visible.js';
import { withinBudget } from '../within-budget.js';
import { mayOf } from './may.js';
import type { PreviewAnswer } from './preview-answers.js';
import { printedItem } from './printed-item.js';
import { revisionsOf } from './history.js';
import { V1_ROUTES } from './schemas.js';

/**
 * The source that an Application names, or that is made of `source.inline`; undefined if it names none, or if it is
 * ignored, because a template provides the source.
 */
export function namedSource(application: Application): SourcePlace | undefined {
  if (!backendFor(application).usesOwnSource(application)) return undefined;
  return placesIn(sourceOf(application), application.metadata.namespace)[0];
}

/** Applications of one answer of which more is read than their status lists: each costs what a preview does. */
const MOST_READ = 5;

const JSON_TYPE = 'application/json; charset=utf-8';

function placeOf(request: FastifyRequest): Place {
  // The schema of each route has checked them; `name` is there where the route has one.
  return request.params as Place;
}

/** A page as JSON, of items that are printed once for each of their versions. */
function printedPage(found: readonly Application[], query: ApplicationQuery): string {
  const { items, total } = sliceOf(found, query);
  const { page, limit } = query;
  return `{"items":[${items.map(printedItem).join(',')}],"total":${total},"page":${page},"limit":${limit}}`;
}

/** What costs too much is not known, and the rest of the page is. */
function unknownBy(error: unknown): { readonly unknown: string } {
  if (error instanceof PreviewError) return { unknown: error.message };
  throw error;
}

/** What waits of the Applications of which the status cannot list all, by what the user may read. */
async function readUnlisted(cut: readonly Application[], reading: Reading) {
  const read = new Map<Application, Pending['destinations']>();
  const notes: string[] = [];
  for (const [index, application] of cut.entries()) {
    const waits =
      index < MOST_READ
        ? await readWaits(application, reading).catch(unknownBy)
        : { unknown: 'too many for one answer: ask with a lower limit' };
    if ('rows' in waits) read.set(application, waits.rows);
    else notes.push(`Application ${keyOf(application.metadata)}: not all that wait are known: ${waits.unknown}`);
  }
  return { read, notes };
}

type Unlisted = (cut: readonly Application[]) => ReturnType<typeof readUnlisted>;

/** The destinations that wait, of the Applications of a page. */
async function pendingOf(
  found: readonly Application[],
  query: ApplicationQuery,
  unlistedOf: Unlisted,
): Promise<PendingPage> {
  const { items, total } = sliceOf(found, query);
  const { page, limit } = query;
  const cut = items.filter((each) => unlisted(each) > 0);
  const { read, notes } = cut.length === 0 ? { read: new Map(), notes: [] } : await unlistedOf(cut);
  const { pending, more } = pendingViews(items, read);
  return { items: pending, more, notes, total, page, limit };
}

/** Lists, and single Applications. */
export function addV1Applications(
  app: FastifyInstance,
  reading: ApplicationRoutes & ReadingAll,
  answered: PreviewAnswer,
): void {
  const ordered = new Ordered(reading.applications);
  const everywhere = async (request: FastifyRequest, query: ApplicationQuery): Promise<readonly Application[]> => {
    const within = await visibleNamespaces(reading, request.user);
    return ordered.wanted(query, within);
  };
  const inNamespace = async (request: FastifyRequest, query: ApplicationQuery): Promise<readonly Application[]> => {
    const { namespace } = placeOf(request);
    await mayListIn(reading, request.user, namespace);
    // The key is no digest, as those of what somebody may see are.
    return ordered.wanted(query, { namespaces: new Set([namespace]), key: `in ${namespace}` });
  };
  const places = [
    { prefix: '', those: everywhere, lists: V1_ROUTES.everywhere },
    { prefix: '/namespaces/:namespace', those: inNamespace, lists: V1_ROUTES.inNamespace },
  ];
  for (const { prefix, those, lists } of places) {
    const list = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
      const query = applicationQueryOf(queryOf(request));
      reply.type(JSON_TYPE);
      return printedPage(await those(request, query), query);
    };
    app.get(`${prefix}/applications`, { schema: lists.applications }, list);
    app.get(`${prefix}/pending`, { schema: lists.pending }, async (request, reply) => {
      const query = applicationQueryOf(queryOf(request));
      const waiting = (await those(request, query)).filter(({ status }) => (status?.pending?.total ?? 0) > 0);
      return pendingOf(waiting, query, (cut) => answered(request, reply, (own) => readUnlisted(cut, own)));
    });
  }
  app.get('/namespaces/:namespace/applications/:name', { schema: V1_ROUTES.application }, async (request) => {
    const place = placeOf(request);
    const application = await visible(reading, request.user, place);
    const answer: ReadApplication = {
      ...detailOf(application),
      ...defined({ source: namedSource(application) }),
      may: await mayOf(reading.access, request.user, place),
    };
    return answer;
  });
  app.get('/namespaces/:namespace/applications/:name/revisions', { schema: V1_ROUTES.revisions }, async (request) => {
    const application = await visible(reading, request.user, placeOf(request));
    return { items: await withinBudget(reading.kube, request.user, (own) => revisionsOf(own, application)) };
  });
}
