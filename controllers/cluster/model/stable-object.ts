import omit from 'lodash/omit.js';

/** What of an object changes without a change of what it describes. */
const UNSTABLE = [
  ...['metadata.resourceVersion', 'metadata.managedFields', 'metadata.generation', 'status.observedGeneration'],
  ...['status.conditions', 'status.v1beta2', 'status.deprecated'],
];

/** An object as a fact: without what changes on its own. */
export function stableObject(object: object): object {
  return omit(object, UNSTABLE);
}
