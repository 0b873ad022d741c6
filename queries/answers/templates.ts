import Type from 'typebox';
import { Condition } from '#api/flux/common.js';
import { flag, type Frozen, integer, list, object, oneOf, optional, text, textMap, time } from '#api/schema.js';
import { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import { KustomizationTemplateSpec } from '#api/v1alpha1/kustomization-template.js';
import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import { itemFields as applicationFields, SharedApplication } from './application.js';
import { anything, inOpenApi, pageOf, refTo } from './parts.js';
import { planFields } from './plans.js';
import { TEMPLATE_STATES } from './words.js';

/** Answers about templates. Unknown texts are empty. */

export const TEMPLATE_SPECS = [
  inOpenApi('HelmTemplateSpec', HelmTemplateSpec),
  inOpenApi('KustomizationTemplateSpec', KustomizationTemplateSpec),
] as const;

function templateSpec(description: string) {
  const [helm, kustomization] = TEMPLATE_SPECS;
  return Type.Union([refTo(helm), refTo(kustomization)], { description });
}

const viewFields = {
  kind: oneOf('Kind.', TEMPLATE_KINDS),
  namespace: text('Namespace.'),
  name: text('Name.'),
  state: oneOf('State in one word.', TEMPLATE_STATES),
  message: text('Message of the condition Ready.'),
  revision: integer('Latest valid revision; 0 if there is none.'),
  chart: text('Chart of a HelmTemplate.'),
  version: text('Version of it, or a range.'),
  path: text('Path of a KustomizationTemplate.'),
  source: text('KIND namespace/name.'),
  usedBy: integer('Number of Applications, of all namespaces.'),
  sharedWith: list('Other namespaces that may use it: names, and a selector in words.', text('Namespaces.')),
  savedBy: text('namespace/name of the Application that it follows.'),
  createdAt: time('Time of creation.'),
};
/** One template, as `fairlead template list -o json` prints it. */
export type TemplateView = Frozen<Type.TObject<typeof viewFields>>;

const itemFields = {
  ...viewFields,
  moreSharedWith: integer('Number of others, which are left out.'),
  uid: text('UID.'),
  labels: textMap('Labels.'),
};
const TemplateItem = object('One template.', itemFields);
export type TemplateItem = Frozen<typeof TemplateItem>;

const detailFields = {
  ...itemFields,
  resourceVersion: text('To be sent with a change, so that no other one is lost.'),
  annotations: textMap('Annotations.'),
  spec: templateSpec('Spec: with values the default values, with valuesSchema their JSON schema.'),
  conditions: list('Conditions; Ready summarizes them.', Condition, { maxItems: 16 }),
  chartVersion: text('Newest version of the chart that runs; empty if that is not known.'),
};
const TemplateAnswer = object('One template, whole.', detailFields);
export type TemplateAnswer = Frozen<typeof TemplateAnswer>;

export const ReadTemplate = object('One template, whole.', {
  ...detailFields,
  may: object('What the user may do.', { patch: flag('True if the user may share it.') }),
});
export type ReadTemplate = Frozen<typeof ReadTemplate>;

const TemplateRevisionView = object('A revision of a template.', {
  revision: integer('Number.'),
  createdAt: time('Time of creation.'),
  changes: list('Fields that differ from the one before that is kept, without values.', text('Field.')),
  usedBy: list('namespace/name of Applications that the user may list.', text('Application.')),
});
export type TemplateRevisionView = Frozen<typeof TemplateRevisionView>;

export const TemplateRevisions = object('Revisions.', {
  items: list('Those that are kept, newest first.', TemplateRevisionView),
});

export const RevisionAnswer = object('What a revision says, and what differs from an earlier one.', {
  revision: integer('Number.'),
  createdAt: time('Time of creation.'),
  from: integer('The one that it is compared with; 0: none is kept before it.'),
  spec: templateSpec('Spec of the template then.'),
  differences: list(
    'What differs.',
    object('Difference.', {
      path: text('JSON pointer into the template.'),
      old: optional(anything('Value before, if there was one.')),
      new: optional(anything('Value then, if there was one.')),
    }),
  ),
  moreDifferences: integer('Number of others, which are left out.'),
});
export type RevisionAnswer = Frozen<typeof RevisionAnswer>;

const TemplateUser = object('One Application.', {
  ...applicationFields,
  templateRevisions: list('Revisions of the template that it uses.', integer('Number.')),
});
export type TemplateUser = Frozen<typeof TemplateUser>;

export const TemplateUsers = pageOf('Applications that use it', TemplateUser, {
  hidden: integer('Number of Applications that use it, and that the user may not list.'),
});

export const Templates = pageOf('templates', TemplateItem, {});

const ValuesProblem = object('Problem.', {
  field: text('Path below the values, e.g. image.tag or ports[0]; empty for all of them.'),
  message: text('What is wrong.'),
});
export type ValuesProblem = Frozen<typeof ValuesProblem>;

export const UsedTemplate = object('The Application that would use it: nothing is written.', {
  application: refTo(SharedApplication),
  problems: list('What the JSON schema of the template has against the values.', ValuesProblem),
});

export const SharedTemplate = object('What comes of it.', {
  done: text('The same in words.'),
  template: TemplateAnswer,
});
export type SharedTemplate = Frozen<typeof SharedTemplate>;

const UserPreview = object('What would be done with one, besides what is done anyway.', {
  application: text('Namespace and name.'),
  ...planFields,
  pinned: list('Revisions at which it stays: there, only another revision in its spec changes it.', integer('Number.')),
  problem: text('Why nothing can be said; empty if it can.'),
  unchanged: integer('Number of children that stay as they are.'),
});
export type UserPreview = Frozen<typeof UserPreview>;

export const TemplatePreview = object('What a change of a template would do.', {
  template: text('Kind, namespace and name.'),
  problems: list('What is wrong with the template.', planFields.problems.items),
  users: list('Applications that use it, up to 20.', UserPreview),
  more: integer('Number of others that are left out.'),
  hidden: integer('Number of others, which the user may not list.'),
});
export type TemplatePreview = Frozen<typeof TemplatePreview>;
