import type { Application } from '#api/v1alpha1/application.js';
import { backendFor } from '#controllers/application/model/backends/index.js';
import { placesIn, sourceOf, type SourcePlace } from '#controllers/application/model/spec/flux-spec.js';

/**
 * The source that an Application names, or that is made of `source.inline`; undefined if it names none, or if it is
 * ignored, because a template provides the source.
 */
export function namedSource(application: Application): SourcePlace | undefined {
  if (!backendFor(application).usesOwnSource(application)) return undefined;
  return placesIn(sourceOf(application), application.metadata.namespace)[0];
}
