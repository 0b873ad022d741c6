import Type from 'typebox';
import { integer, list, mapOf, object, optional, referredName, text } from '#api/schema.js';
import { ApplicationDetail, SharedApplication, SharedSpec } from '#queries/answers/application.js';
import { ObjectTree } from '#queries/answers/members.js';
import { refTo } from '#queries/answers/parts.js';
import { TEMPLATE_SPECS } from '#queries/answers/templates.js';
import type { FastifyRequest } from 'fastify';
import type { QueryString } from '../shared/list-query.js';

/** The schemas of the routes: their parameters are checked by them, and all of them are in `/openapi.json`. */

const inNamespace = { namespace: referredName('Namespace of the project.') };
const ofApplication = { ...inNamespace, name: referredName('Name of the Application.') };

/** Of a query, nothing is refused: what it does not understand filters nothing. */
const query = Type.Object({
  page: optional(text('Page, from 1; one that is not there is empty. Default: 1.')),
  limit: optional(text('Items of a page; -1 stands for all. Default: -1.')),
  sortBy: optional(text('name, or createTime for the time of creation. Default: createTime.')),
  ascending: optional(text('true or false. Default: false.')),
  name: optional(text('Part of the name, or of the alias.')),
  names: optional(text('Names, separated by commas.')),
  healthStatus: optional(text('Health, as in the label gitops.kubesphere.io/health-status.')),
  syncStatus: optional(text('Sync status, as in the label gitops.kubesphere.io/sync-status.')),
  labelSelector: optional(text('Label selector, as for kubectl.')),
});

const checked = { dryRun: optional(text('All: the API server checks the request, and writes nothing.')) };
const mayDryRun = { querystring: Type.Object(checked) };
const deletion = Type.Object({
  ...checked,
  cascade: optional(
    text('false: what was deployed keeps running. Otherwise spec.deletionPolicy decides, which uninstalls by default.'),
  ),
});

const ApplicationRef = refTo(SharedApplication);

const ApplicationList = object('One page of a list.', {
  items: list('Applications.', ApplicationRef),
  totalItems: integer('Number of Applications on all pages.'),
});

const counts = (description: string) => mapOf(description, integer('Number of Applications.'));

const Summary = object('How many Applications are in which state.', {
  total: integer('Number of Applications.'),
  healthStatus: counts('By health.'),
  syncStatus: counts('By sync status.'),
});

const Clusters = list(
  'Clusters that the user may see; the first one is the host.',
  object('Cluster.', { server: optional(text('URL, for the host.')), name: text('Name.') }),
);

const Sync = Type.Unsafe<object>({ type: 'object', description: 'How to sync; strategy.apply.force installs again.' });

/** Schemas that others refer to. */
export const SHARED = [SharedApplication, SharedSpec, ApplicationDetail, ObjectTree, ...TEMPLATE_SPECS];

const answers = (schema: object) => ({ response: { 200: schema } });
const onNamespace = { params: object('Path.', inNamespace) };
const onApplication = { params: object('Path.', ofApplication) };

export const ROUTES = {
  list: { ...onNamespace, querystring: query, ...answers(ApplicationList), summary: 'List Applications' },
  summary: { ...onNamespace, ...answers(Summary), summary: 'Count Applications by state' },
  create: {
    ...onNamespace,
    ...mayDryRun,
    body: ApplicationRef,
    ...answers(ApplicationRef),
    summary: 'Create an Application',
  },
  get: { ...onApplication, ...answers(ApplicationRef), summary: 'Get an Application' },
  replace: {
    ...onApplication,
    ...mayDryRun,
    body: ApplicationRef,
    ...answers(ApplicationRef),
    summary: 'Replace an Application',
  },
  remove: { ...onApplication, querystring: deletion, ...answers(ApplicationRef), summary: 'Delete an Application' },
  sync: {
    ...onApplication,
    ...mayDryRun,
    body: Sync,
    ...answers(ApplicationRef),
    summary: 'Reconcile an Application now',
  },
  clusters: { ...answers(Clusters), summary: 'List clusters' },
};

/** The query of a request, which the types of fastify call unknown. */
export function queryOf({ query }: Pick<FastifyRequest, 'query'>): QueryString {
  return query as QueryString;
}
