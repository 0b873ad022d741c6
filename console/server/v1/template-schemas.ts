import Type from 'typebox';
import { integer, list, object, oneOf, openObject, optional, referredName, text } from '#api/schema.js';
import { CLUSTER_KINDS } from '#api/v1alpha1/destination.js';
import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import {
  ReadTemplate,
  RevisionAnswer,
  SharedTemplate,
  TemplatePreview,
  TemplateRevisions,
  Templates,
  TemplateUsers,
  UsedTemplate,
} from '#queries/answers/templates.js';
import { actionQuery, answers, onNamespace, query as ofApplications } from './schemas.js';

/** The routes about templates. */

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

const Sharing = object('Who may use it.', {
  add: optional(list('Namespaces that may use it from now on, up to 50.', text('Namespace.'))),
  remove: optional(list('Those that may not any more.', text('Namespace.'))),
});

const Use = object('How it is to be used.', {
  name: text('Name of the Application.'),
  namespace: text('Its namespace.'),
  targetNamespace: optional(text('Namespace to deploy to. Default: that of the Application.')),
  clusters: optional(
    list(
      'Clusters, up to 100. Default: the host.',
      object('Cluster.', { kind: oneOf('Kind.', CLUSTER_KINDS), name: text('Name.') }),
    ),
  ),
  revision: optional(integer('Revision to stay at. Default: it follows the template.')),
  values: optional(openObject('Values that differ from the defaults.')),
});

const Change = object('What the template would be: either of these.', {
  revision: optional(integer('What it was at this revision.')),
  spec: optional(openObject('This spec. It needs the right to update the template.')),
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
    ...answers(TemplateRevisions),
    summary: 'List the revisions of a template',
  },
  revision: {
    ...onRevision,
    querystring: Type.Object({ from: optional(text('Revision to compare with. Default: the one before.')) }),
    ...answers(RevisionAnswer),
    summary: 'Get a revision of a template, and what it changed',
  },
  share: {
    ...onTemplate,
    querystring: actionQuery,
    body: Sharing,
    ...answers(SharedTemplate),
    summary: 'Share a template with namespaces, or no longer',
  },
  preview: {
    ...onTemplate,
    body: Change,
    ...answers(TemplatePreview),
    summary: 'Show what a change of a template would do to the Applications that use it',
  },
  use: { ...onTemplate, body: Use, ...answers(UsedTemplate), summary: 'Make an Application that uses a template' },
  users: {
    ...onTemplate,
    querystring: ofApplications,
    ...answers(TemplateUsers),
    summary: 'List what uses a template',
  },
};
