import type Type from 'typebox';
import { list, object, optional, text } from '../schema.js';
import { clusterChoice } from './destination.js';

/** The fields of an entry that say what it is, and where: an override has all others. */
export const IDENTITY_FIELDS = ['name', 'destination', 'template', 'releaseName', 'storageNamespace'] as const;

const OverriddenClusters = object(
  'Clusters of the entry that the override is for. With names and a selector, both must hold.',
  {
    ...clusterChoice('Names of clusters.'),
  },
  { rules: [{ rule: 'has(self.names) || has(self.selector)', message: 'set names, selector, or both' }] },
);

/** The field `overrides` of an entry with these fields. */
export function overridesOf<Fields extends Type.TProperties>(fields: Fields) {
  return optional(
    list(
      'Other fields on some of the clusters, in order: the last one wins. Maps merge, lists replace, a null in values deletes a key.',
      object('Fields that replace those of the entry on some clusters.', { clusters: OverriddenClusters, ...fields }),
      { maxItems: 100 },
    ),
  );
}

export const valuesTemplate = optional(
  text(
    'Go template with sprig that renders to more values, for each cluster. They override values, and those of overrides override them.',
    { maxLength: 65_536 },
  ),
);
