import type { Application, FluxApplicationSpec, HelmReleaseConfig } from '../../../api/v1alpha1/application.js';
import type { SourceReference } from '../../../api/v1alpha1/application-spec.js';

/** What the user says for the Flux engine, if anything. */
export function fluxSpecOf(application: Application): FluxApplicationSpec | undefined {
  return application.spec.fluxApp?.spec;
}

/** The source that the Application names, if any. */
export function sourceOf(application: Application): SourceReference | undefined {
  return fluxSpecOf(application)?.source?.sourceRef;
}

/** How, for the Flux engine. */
type Config = NonNullable<FluxApplicationSpec['config']>;

/** How the Application wants it, if it says. */
export function configOf(application: Application): Config | undefined {
  return fluxSpecOf(application)?.config;
}

/** The Helm part of the configuration, if any. */
export function helmReleaseOf(application: Application): HelmReleaseConfig | undefined {
  return configOf(application)?.helmRelease;
}
