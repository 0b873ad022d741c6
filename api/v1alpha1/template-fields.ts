import type Type from 'typebox';
import { Condition } from '../flux/common.js';
import {
  integer,
  list,
  listByKey,
  namespaceName,
  object,
  objectName,
  oneOf,
  optional,
  text,
  textMap,
} from '../schema.js';

/** A source of a template: its namespace is always said, for users of the template are in others. */
export function templateSource<const Kind extends string>(kinds: readonly Kind[]) {
  return object('Where it comes from, as an object of Flux.', {
    apiVersion: optional(text('API version of the source.', { maxLength: 253 })),
    kind: oneOf('Kind of the source.', kinds),
    name: objectName('Name of the source.'),
    namespace: namespaceName('Namespace of the source.'),
  });
}

const Requirement = object('One condition on a label.', {
  key: text('Label.', { minLength: 1, maxLength: 317 }),
  operator: oneOf('What must hold of the label.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: optional(list('Values that In and NotIn look for.', text('Value.', { maxLength: 63 }), { maxItems: 64 })),
});

const NamespaceSelector = object(
  'Labels of namespaces; all of it must hold, an empty selector means every namespace.',
  {
    matchLabels: optional(textMap('Labels that a namespace must have.')),
    matchExpressions: optional(list('Conditions on labels.', Requirement, { maxItems: 64 })),
  },
);
export type NamespaceSelector = Type.Static<typeof NamespaceSelector>;

/** Which other namespaces may use a template. */
export const SharedWith = object('Which other namespaces may use the template; none by default.', {
  namespaces: optional(list('By name.', namespaceName('Name of a namespace.'), { maxItems: 1_000 })),
  selector: optional(NamespaceSelector),
});
export type SharedWith = Type.Static<typeof SharedWith>;

/** The status fields that both kinds of templates have. */
export const templateStatusFields = {
  observedGeneration: optional(integer('Last generation that was looked at.')),
  conditions: optional(listByKey('State of the template; Ready sums it up.', Condition, { key: 'type', maxItems: 16 })),
  revision: optional(integer('Newest valid revision; a user pins one with NAME@REVISION.', { minimum: 1 })),
  usedBy: optional(integer('Applications that use the template.', { minimum: 0 })),
};
