import { list, object, oneOf, optional, text, textMap } from './schema.js';

const Requirement = object('One requirement for a label.', {
  key: text('Label key.', { minLength: 1, maxLength: 317 }),
  operator: oneOf('Relation of the label to the values.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
  values: optional(list('Values for In and NotIn.', text('Value.', { maxLength: 63 }), { maxItems: 64 })),
});

/** Fields of a selector for the labels of `what`, with its article. */
export function selectorFields(what: string) {
  return {
    matchLabels: optional(textMap(`Labels that ${what} must have.`)),
    matchExpressions: optional(list('Requirements for labels.', Requirement, { maxItems: 64 })),
  };
}
