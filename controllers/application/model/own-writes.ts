import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { STATE_ANNOTATIONS, STATE_LABELS } from '#api/v1alpha1/labels.js';

/** Everything that others may change: all but the status and our part of the metadata. */
function askedOf({ metadata }: Application): unknown {
  const { generation, deletionTimestamp, labels, annotations } = metadata;
  return [generation, deletionTimestamp, omit(labels, STATE_LABELS), omit(annotations, STATE_ANNOTATIONS)];
}

/** True for a change of only what we write: the status, our finalizer, labels and annotations. */
export function isOwnWrite(application: Application, previous: Application | undefined): boolean {
  return previous !== undefined && isEqual(askedOf(application), askedOf(previous));
}
