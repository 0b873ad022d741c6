import type { Application, FluxApplicationSpec, HelmReleaseConfig } from '#api/v1alpha1/application.js';
import type { SourceReference } from '#api/v1alpha1/application-spec.js';
import type { InlineSource } from '#api/v1alpha1/inline-source.js';
import { withMadeSource } from './inline-source.js';
import { normalForm } from './normal-form.js';

/** What the user says for the Flux engine, if anything, in its normal form. */
export function statedSpecOf(application: Application): FluxApplicationSpec | undefined {
  const spec = application.spec.fluxApp?.spec;
  return spec === undefined ? undefined : normalForm(spec);
}

/** Many rules need the spec of the same Application, which is never changed in place. */
const withSources = new WeakMap<FluxApplicationSpec, FluxApplicationSpec>();

/** The same with a reference to the source that Fairlead creates, instead of `source.inline`. */
export function fluxSpecOf(application: Application): FluxApplicationSpec | undefined {
  const stated = statedSpecOf(application);
  if (stated === undefined) return undefined;
  const found = withSources.get(stated) ?? withMadeSource(stated);
  withSources.set(stated, found);
  return found;
}

/** The inline source of an Application, if any. */
export function inlineOf(application: Application): InlineSource | undefined {
  return statedSpecOf(application)?.source?.inline;
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

/** The entries of a kustomization, if any. */
export function kustomizationOf(application: Application): Config['kustomization'] {
  return configOf(application)?.kustomization;
}

/** The source with its namespace: a child must not depend on where it lies itself. */
export function sourceReference(application: Application): SourceReference | undefined {
  const source = sourceOf(application);
  const namespace = source?.namespace ?? application.metadata.namespace;
  return source === undefined || namespace === undefined ? source : { ...source, namespace };
}

/** The same Application with another part for the Flux engine. */
export function withFluxSpec(application: Application, spec: FluxApplicationSpec): Application {
  return { ...application, spec: { ...application.spec, fluxApp: { spec } } };
}
