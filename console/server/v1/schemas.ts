import pick from 'lodash/pick.js';
import Type from 'typebox';
import { flag, integer, list, object, openObject, optional, referredName, text, textMap, time } from '#api/schema.js';
import { ApplicationStatus } from '#api/v1alpha1/application.js';
import { TemplateInUse } from '#api/v1alpha1/template-fields.js';
import type { Action } from '../../shared/action.js';

/** The schemas of the routes below /api/v1. */

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

export const item = {
  namespace: text('Namespace.'),
  name: text('Name.'),
  kind: text('Engine.'),
  ready: text('Ready and desired destinations, e.g. 2/3.'),
  state: text('State in one word.'),
  reason: text('Reason of the condition Ready; empty if that was true before the newest change.'),
  revision: text('Revision that runs.'),
  message: text('Message of the condition Ready.'),
  warnings: list('What to look at, although it is no problem of a destination.', text('Warning.')),
  approval: text('Value that approves removals that wait; empty if none do.'),
  uid: text('UID.'),
  createdAt: time('Time of creation.'),
  labels: textMap('Labels.'),
};

const row = ApplicationStatus.properties.destinations.items.properties;

export const Destination = object('One destination.', {
  name: text('Name.'),
  cluster: text('Cluster.'),
  namespace: text('Target namespace.'),
  release: text('Name of the Helm release.'),
  child: text('HelmRelease or Kustomization of the destination.'),
  state: text('State in one word.'),
  revision: text('Revision that runs there.'),
  message: text('Why it is in this state.'),
  dryRun: row.dryRun,
  replaced: row.replaced,
});

const Pending = object('A destination that waits.', {
  application: text('Name of the Application.'),
  namespace: text('Namespace of the Application.'),
  destination: text('Name of the destination.'),
  cluster: text('Cluster.'),
  from: optional(integer('Revision of the Application that it has.')),
  to: optional(integer('Revision that it waits for.')),
  change: text('What would change.'),
  reason: text('What it waits for.'),
  message: text('The same in words.'),
  since: time('Since when.'),
});

const { conditions, history, removals, rollout } = ApplicationStatus.properties;
const { held, heldSince, clusters, truncated } = removals.properties;

const detail = {
  ...item,
  destinations: list('Destinations, worst state first.', Destination),
  resourceVersion: text('To be sent with a change, so that no other one is lost.'),
  annotations: textMap('Annotations.'),
  spec: openObject('Spec, as the reference of the Application has it.'),
  conditions,
  pending: list('Destinations that wait.', Pending),
  removals: optional(
    object('Removals that wait for an approval.', {
      ...{ held, heldSince, clusters, truncated },
    }),
  ),
  morePending: integer('Number of others that wait.'),
  templates: list('Templates that it is made from, as its status says.', TemplateInUse),
  history,
  rollout,
};
const Detail = object('One Application with everything that is known of it.', detail);

const ReadApplication = object('One Application with everything that is known of it.', {
  ...detail,
  source: optional(
    object('The source that its spec names, or that is made of source.inline, unless a template provides it.', {
      kind: text('Kind.'),
      namespace: text('Namespace.'),
      name: text('Name.'),
    }),
  ),
  may: object('What the user may do.', {
    patch: flag('True if he may change it by actions.'),
    update: flag('True if he may replace it.'),
    delete: flag('True if he may delete it.'),
    listRevisions: flag('True if he may list revisions of Applications of the namespace.'),
  }),
});

const Revision = object('A kept revision of an Application.', {
  revision: integer('Number.'),
  createdAt: time('Time of creation.'),
  object: text('Name of its ControllerRevision.'),
});

export function pageOf(what: string, each: Type.TSchema, more: Type.TProperties = {}) {
  const numbers = { total: integer('Number on all pages.'), page: integer('Page.'), limit: integer('Most of a page.') };
  return object(`One page of ${what}.`, { items: list(`Those of the page.`, each), ...numbers, ...more });
}

const Applications = pageOf('Applications', object('One Application.', item));
const PendingPage = pageOf('Applications with destinations that wait', Pending, {
  more: integer('Number of others that wait, of the Applications of this page.'),
  notes: list('Why they are not known.', text('Note.')),
});

const OverviewRow = object('One Application.', {
  ...pick(item, ['namespace', 'name', 'kind', 'state', 'ready', 'revision']),
  message: text('Why it is not Ready, the cause first, shortened.'),
  cells: list(
    'Of each cluster: its index, the index of the worst state there, and the number of destinations.',
    list('Cell.', integer('Number.')),
  ),
});

const Overview = Type.Union([
  object('Applications by clusters.', {
    clusters: list('Names that cells refer to.', text('Cluster.')),
    states: list('States that cells refer to, the worst first.', text('State.')),
    applications: list('Applications.', OverviewRow),
  }),
  object('What makes an overview of the one with the tag `since`.', {
    changed: list('Applications that are new, or not what they were.', OverviewRow),
    removed: list('Those that are gone.', text('NAMESPACE/NAME.')),
  }),
]);
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
  applications: { ...more, querystring: query, ...answers(Applications), summary: `List Applications ${where}` },
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
const body = Type.Unsafe<object>({ $ref: 'Application#' });

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
  stage: optional(text('Stage to approve. Default: the one that waits.')),
};

const Acted = object('What comes of an action.', {
  done: text('The same in words.'),
  application: Detail,
  template: optional(
    object('The template that it is saved as.', {
      namespace: text('Namespace.'),
      kind: text('HelmTemplate or KustomizationTemplate.'),
      name: text('Name.'),
    }),
  ),
});

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
  ...answers(
    object('What comes of it.', {
      done: text('The same in words.'),
      object: text('Object that is annotated.'),
      clusterUid: text('UID that it accepts.'),
    }),
  ),
  summary: 'Accept the cluster that took the place of another one',
};

export const V1_ROUTES = {
  create: { ...onNamespace, ...mayDryRun, body, response: { 201: Detail }, summary: 'Create an Application' },
  replace: { ...onApplication, ...mayDryRun, body, ...answers(Detail), summary: 'Replace an Application' },
  remove: { ...onApplication, querystring: deletion, ...answers(Detail), summary: 'Delete an Application' },
  overview: { querystring: overviewQuery, ...answers(Overview), summary: 'Show Applications by clusters' },
  everywhere: lists('of all namespaces that the user may list', {}),
  inNamespace: lists('of a namespace', onNamespace),
  application: { ...onApplication, ...answers(ReadApplication), summary: 'Get an Application' },
  revisions: {
    ...onApplication,
    ...answers(object('Revisions.', { items: list('Those that are kept, newest first.', Revision) })),
    summary: 'List the revisions of an Application',
  },
};
