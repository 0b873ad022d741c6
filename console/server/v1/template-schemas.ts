import Type from 'typebox';
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  openObject,
  optional,
  referredName,
  text,
  textMap,
  time,
} from '#api/schema.js';
import { HelmTemplateStatus } from '#api/v1alpha1/helm-template.js';
import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import { plan } from './preview-schemas.js';
import { actionQuery, answers, item as application, onNamespace, pageOf, query as ofApplications } from './schemas.js';

/** The schemas of the routes about templates. */

const ofTemplate = {
  ...onNamespace.params.properties,
  kind: oneOf('Kind of the template.', TEMPLATE_KINDS),
  name: referredName('Name of the template.'),
};
const onTemplate = { params: object('Path.', ofTemplate) };
const onRevision = { params: object('Path.', { ...ofTemplate, revision: text('Number of the revision.') }) };

const query = Type.Object({
  ...ofApplications.properties,
  sort: optional(
    text('name, namespace, kind, state, createdAt or usedBy; with a leading - to descend. Default: name.'),
  ),
  search: optional(text('Part of the name, or of that of the chart.')),
  fieldSelector: optional(
    text('FIELD=VALUE or FIELD!=VALUE, by commas: metadata.name, metadata.namespace, kind, state, chart.'),
  ),
});

const item = {
  kind: text('HelmTemplate or KustomizationTemplate.'),
  namespace: text('Namespace.'),
  name: text('Name.'),
  state: text('Ready, Stalled or Pending.'),
  message: text('Message of the condition Ready.'),
  revision: integer('Latest valid revision; 0 if there is none.'),
  chart: text('Chart of a HelmTemplate.'),
  version: text('Version of it, or a range.'),
  path: text('Path of a KustomizationTemplate.'),
  source: text('KIND namespace/name.'),
  usedBy: integer('Number of Applications, of all namespaces.'),
  sharedWith: list('Other namespaces that may use it: names, and a selector in words.', text('Namespaces.')),
  moreSharedWith: integer('Number of others, which are left out.'),
  savedBy: text('namespace/name of the Application that it follows.'),
  createdAt: time('Time of creation.'),
  uid: text('UID.'),
  labels: textMap('Labels.'),
};

const detail = {
  ...item,
  resourceVersion: text('To be sent with a change, so that no other one is lost.'),
  annotations: textMap('Annotations.'),
  spec: openObject('Spec: with values the default values, with valuesSchema their JSON schema.'),
  conditions: HelmTemplateStatus.properties.conditions,
  chartVersion: text('Newest version of the chart that runs.'),
};
const TemplateDetail = object('One template, whole.', detail);

const ReadTemplate = object('One template, whole.', {
  ...detail,
  may: object('What the user may do.', { patch: flag('True if he may share it.') }),
});

const Revision = object('A revision of a template.', {
  revision: integer('Number.'),
  createdAt: time('Time of creation.'),
  changes: list('Fields that differ from the one before that is kept.', text('Field.')),
  usedBy: list('namespace/name of Applications that the user may list.', text('Application.')),
});

const RevisionDetail = object('What a revision says, and what differs from an earlier one.', {
  revision: integer('Number.'),
  createdAt: time('Time of creation.'),
  from: integer('The one that it is compared with; 0: none is kept before it.'),
  spec: openObject('Spec of the template then.'),
  differences: list(
    'What differs: path is a JSON pointer, old and new are its values, where there are any.',
    openObject('Difference.'),
  ),
  moreDifferences: integer('Number of others, which are left out.'),
});

const Users = pageOf(
  'Applications that use it',
  object('One Application.', {
    ...application,
    templateRevisions: list('Revisions of the template that it uses.', integer('Number.')),
  }),
  { hidden: integer('Number of Applications that use it, and that the user may not list.') },
);

const Templates = pageOf('templates', object('One template.', item));

const Sharing = object('Who may use it.', {
  add: optional(list('Namespaces that may use it from now on, up to 50.', text('Namespace.'))),
  remove: optional(list('Those that may not any more.', text('Namespace.'))),
});

const Use = object('How it is to be used.', {
  name: text('Name of the Application.'),
  namespace: text('Its namespace.'),
  targetNamespace: optional(text('Namespace to deploy to. Default: that of the Application.')),
  clusters: optional(
    list('Clusters, up to 100. Default: the host.', object('Cluster.', { kind: text('Kind.'), name: text('Name.') })),
  ),
  revision: optional(integer('Revision to stay at. Default: it follows the template.')),
  values: optional(openObject('Values that differ from the defaults.')),
});

const Used = object('The Application that would use it: nothing is written.', {
  application: openObject('Application.'),
  problems: list(
    'What the JSON schema of the template has against the values.',
    object('Problem.', { field: text('Path below the values.'), message: text('What is wrong.') }),
  ),
});

const Shared = object('What comes of it.', { done: text('The same in words.'), template: TemplateDetail });

const Change = object('What the template would be: either of these.', {
  revision: optional(integer('What it was at this revision.')),
  spec: optional(openObject('This spec. It needs the right to update the template.')),
});

const Preview = object('What a change of a template would do.', {
  template: text('Kind, namespace and name.'),
  problems: plan.problems,
  users: list(
    'Applications that use it, up to 20.',
    object('What would be done with one, besides what is done anyway.', {
      ...plan,
      pinned: list(
        'Revisions at which it stays: there, only another revision in its spec changes it.',
        integer('Number.'),
      ),
      problem: text('Why nothing can be said; empty if it can.'),
      unchanged: integer('Number of children that stay as they are.'),
    }),
  ),
  more: integer('Number of others that are left out.'),
  hidden: integer('Number of others, which the user may not list.'),
});

export const TEMPLATE_ROUTES = {
  everywhere: { querystring: query, ...answers(Templates), summary: 'List templates that the user may read' },
  inNamespace: {
    ...onNamespace,
    querystring: query,
    ...answers(Templates),
    summary: 'List the templates of a namespace',
  },
  template: { ...onTemplate, ...answers(ReadTemplate), summary: 'Get a template' },
  revisions: {
    ...onTemplate,
    ...answers(object('Revisions.', { items: list('Those that are kept, newest first.', Revision) })),
    summary: 'List the revisions of a template',
  },
  revision: {
    ...onRevision,
    querystring: Type.Object({ from: optional(text('Revision to compare with. Default: the one before.')) }),
    ...answers(RevisionDetail),
    summary: 'Get a revision of a template, and what it changed',
  },
  share: {
    ...onTemplate,
    querystring: actionQuery,
    body: Sharing,
    ...answers(Shared),
    summary: 'Share a template with namespaces, or no longer',
  },
  preview: {
    ...onTemplate,
    body: Change,
    ...answers(Preview),
    summary: 'Show what a change of a template would do to the Applications that use it',
  },
  use: { ...onTemplate, body: Use, ...answers(Used), summary: 'Make an Application that uses a template' },
  users: { ...onTemplate, querystring: ofApplications, ...answers(Users), summary: 'List what uses a template' },
};
