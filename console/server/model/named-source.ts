import type { Application } from '#api/v1alpha1/application.js';
import { sourceOf } from '#controllers/application/model/flux-spec.js';
import { placesIn, type SourcePlace } from '#controllers/application/model/source-place.js';

/** The source that an Application names, or that is made of `source.inline`; undefined if it names none. */
export function namedSource(application: Application): SourcePlace | undefined {
  return placesIn(sourceOf(application), application.metadata.namespace)[0];
}
