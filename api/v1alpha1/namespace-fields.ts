import { mapOf, optional, text } from '../schema.js';

/** What an entry wants on its target namespace; the embedded engine sets it, and Flux has no field for it. */
export const namespaceFields = {
  namespaceLabels: optional(
    mapOf(
      'Labels for the target namespace; its other labels stay as they are. Only with the embedded engine.',
      text('Value of the label.', { maxLength: 63 }),
    ),
  ),
  namespaceAnnotations: optional(
    mapOf(
      'Annotations for the target namespace; its other annotations stay as they are. Only with the embedded engine.',
      text('Value of the annotation.', { maxLength: 16_384 }),
    ),
  ),
};
