import type Type from 'typebox';
import { conditionsField } from '../flux/common.js';
import { integer, list, namespaceName, object, objectName, oneOf, optional, text, selectorFields } from '../schema.js';

/** The source of a template. Its namespace is required, because the template can be used in other namespaces. */
export function templateSource<const Kind extends string>(kinds: readonly Kind[]) {
  return object('Flux source.', {
    apiVersion: optional(text('API version of the source.', { maxLength: 253 })),
    kind: oneOf('Kind of the source.', kinds),
    name: objectName('Name of the source.'),
    namespace: namespaceName('Namespace of the source.'),
  });
}

const NamespaceSelector = object(
  'Selector for namespace labels; all requirements must hold. An empty selector matches every namespace.',
  selectorFields('a namespace'),
);
export type NamespaceSelector = Type.Static<typeof NamespaceSelector>;

/** The other namespaces that may use a template. */
export const SharedWith = object('Other namespaces that may use the template. Default: none.', {
  namespaces: optional(list('Namespaces by name.', namespaceName('Name of a namespace.'), { maxItems: 1_000 })),
  selector: optional(NamespaceSelector),
});
export type SharedWith = Type.Static<typeof SharedWith>;

/** A template as an Application uses it. */
export const TemplateInUse = object('A template in use.', {
  kind: oneOf('Kind of the template; HelmChart for one that ks-devops saved.', [
    'HelmTemplate',
    'KustomizationTemplate',
    'HelmChart',
  ]),
  namespace: text('Namespace of the template.'),
  name: text('Name of the template.'),
  revision: optional(integer('Revision in use; a HelmChart has none.')),
});
export type TemplateInUse = Type.Static<typeof TemplateInUse>;

/** The status fields that both kinds of templates have. */
export const templateStatusFields = {
  observedGeneration: optional(integer('Last generation that was reconciled.')),
  conditions: conditionsField('template'),
  revision: optional(integer('Latest valid revision; NAME@REVISION pins a revision.', { minimum: 1 })),
  usedBy: optional(integer('Number of Applications that use the template.', { minimum: 0 })),
};
