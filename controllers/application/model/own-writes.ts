import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { OWN_ANNOTATIONS, OWN_LABELS } from './metadata.js';

/** Everything that others may change: all but the status and our part of the metadata. */
function askedOf({ metadata }: Application): unknown {
  const { generation, deletionTimestamp, labels, annotations } = metadata;
  return [generation, deletionTimestamp, omit(labels, OWN_LABELS), omit(annotations, OWN_ANNOTATIONS)];
}

/** True for a change of only what we write: the status, our finalizer, labels and annotations. */
export function isOwnWrite(application: Application, previous: Application | undefined): boolean {
  return previous !== undefined && isEqual(askedOf(application), askedOf(previous));
}
