import Type from 'typebox';
import { flag, integer, object, optional, referredName, text } from '#api/schema.js';
import {
  AcceptedCluster,
  Acted,
  ApplicationDetail,
  ApplicationItem,
  Overview,
  OverviewUpdate,
  PendingPage,
  ReadApplication,
  SharedApplication,
} from '#queries/answers/application.js';
import { ClusterPage, SeenSources } from '#queries/answers/clusters.js';
import { pageOf, refTo } from '#queries/answers/parts.js';
import { HistoryAnswer, Revisions, ShownDifferences } from '#queries/answers/revisions.js';
import type { Action } from '../../shared/action.js';

/** The parameters of the routes below /api/v1, and which of `queries/answers` they answer with. */

const inNamespace = { namespace: referredName('Name of the namespace.') };
const ofApplication = { ...inNamespace, name: referredName('Name of the Application.') };

export const query = Type.Object({
  page: optional(text('Page, from 1; one past the end is empty. Default: 1.')),
  limit: optional(text('Items of a page, up to 500. Default: 100.')),
  sort: optional(text('name, namespace, state or createdAt; with a leading - to descend. Default: name.')),
  search: optional(text('Part of the name.')),
  labelSelector: optional(text('Label selector, as for kubectl.')),
  fieldSelector: optional(
    text('FIELD=VALUE or FIELD!=VALUE, by commas: metadata.name, metadata.namespace, kind, state, reason, cluster.'),
  ),
});

const overviewQuery = Type.Object({
  since: optional(
    text('ETag of an overview, without quotes: the answer has only what changed since, if that is known.'),
  ),
});

export const answers = (schema: object) => ({ response: { 200: schema } });
export const onNamespace = { params: object('Path.', inNamespace) };
export const onApplication = { params: object('Path.', ofApplication) };

const Changes = {
  response: {
    200: Type.String({
      description:
        'Server-sent events: ready, reset, added, updated, deleted, template-added, template-updated, template-deleted, close.',
    }),
  },
};

const lists = (where: string, more: object) => ({
  applications: {
    ...more,
    querystring: query,
    ...answers(pageOf('Applications', ApplicationItem, {})),
    summary: `List Applications ${where}`,
  },
  pending: { ...more, querystring: query, ...answers(PendingPage), summary: `List destinations that wait ${where}` },
  changes: { ...more, ...Changes, summary: `Follow the Applications and templates ${where}` },
});

const dryRun = { dryRun: optional(text('All: the API server checks the request, and writes nothing.')) };
export const seen = {
  uid: optional(text('UID of the object: it is refused if the name is that of another one by now.')),
};
export const actionQuery = Type.Object({ ...dryRun, ...seen });
const mayDryRun = { querystring: Type.Object(dryRun) };
const deletion = Type.Object({
  ...dryRun,
  propagationPolicy: optional(text('Orphan: what was deployed keeps running. Default: spec.deletionPolicy decides.')),
  resourceVersion: optional(text('It is refused if the Application has another one by now.')),
});
const body = refTo(SharedApplication);
const Detail = refTo(ApplicationDetail);

const BODIES: Readonly<Record<Action['fields'][number], Type.TSchema>> = {
  force: optional(flag('If true, releases are installed or upgraded even if nothing changed.')),
  reset: optional(flag('If true, the failures so far do not count.')),
  revision: optional(integer('Revision to go back to. Default: the last good one before the present one.')),
  cluster: optional(text('Only on this cluster. Default: on all.')),
  approval: optional(
    text(
      'Value that was seen, of status.removals.approval or status.rollout.stages[].approval: nothing else is approved.',
    ),
  ),
  id: optional(text('Number and digest of the revision that was seen: nothing else is approved, retried or aborted.')),
  stage: optional(text('Stage to approve. Default: the one that waits.')),
};

export function actionBody({ fields }: Action) {
  const said = Type.Object(Object.fromEntries(fields.map((field) => [field, BODIES[field]])));
  return fields.length === 0 ? {} : { body: said };
}

/** The description of an action. */
export function actionRoute(action: Action) {
  const { summary } = action;
  return { ...onApplication, querystring: actionQuery, ...actionBody(action), ...answers(Acted), summary };
}

export const ACCEPT_CLUSTER_ROUTE = {
  ...onApplication,
  querystring: actionQuery,
  body: Type.Object({
    object: text('Object that describes the cluster, e.g. Secret shop/eu, or Cluster.cluster.x-k8s.io shop/eu.'),
    clusterUid: text('UID of the cluster that was seen: it is refused if another one answers by now.'),
  }),
  ...answers(AcceptedCluster),
  summary: 'Accept the cluster that took the place of another one',
};

export const V1_ROUTES = {
  create: { ...onNamespace, ...mayDryRun, body, response: { 201: Detail }, summary: 'Create an Application' },
  replace: { ...onApplication, ...mayDryRun, body, ...answers(Detail), summary: 'Replace an Application' },
  remove: { ...onApplication, querystring: deletion, ...answers(Detail), summary: 'Delete an Application' },
  overview: {
    querystring: overviewQuery,
    ...answers(Type.Union([Overview, OverviewUpdate])),
    summary: 'Show Applications by clusters',
  },
  everywhere: lists('of all namespaces that the user may list', {}),
  inNamespace: lists('of a namespace', onNamespace),
  application: { ...onApplication, ...answers(ReadApplication), summary: 'Get an Application' },
  revisions: { ...onApplication, ...answers(Revisions), summary: 'List the revisions of an Application' },
  history: {
    ...onApplication,
    ...answers(HistoryAnswer),
    summary: 'Show the revisions of an Application and which clusters have them',
  },
  historyDiff: {
    ...onApplication,
    querystring: Type.Object({ from: text('Revision.'), to: text('Revision.') }),
    ...answers(ShownDifferences),
    summary: 'Compare two revisions of an Application',
  },
  sources: {
    ...onNamespace,
    ...answers(SeenSources),
    summary: 'List the sources of a namespace that the user may read',
  },
};

const clusterQuery = Type.Object({
  ...query.properties,
  sort: optional(
    text('trouble, name, namespace, kind, state, worst or applications; with a leading - to descend. Default: name.'),
  ),
  fieldSelector: optional(
    text('FIELD=VALUE or FIELD!=VALUE, by commas: metadata.name, metadata.namespace, kind, state, worst.'),
  ),
});

export const CLUSTER_ROUTES = {
  everywhere: { querystring: clusterQuery, ...answers(ClusterPage), summary: 'List clusters that the user may read' },
  inNamespace: {
    ...onNamespace,
    querystring: clusterQuery,
    ...answers(ClusterPage),
    summary: 'List the clusters that a namespace may use',
  },
};
