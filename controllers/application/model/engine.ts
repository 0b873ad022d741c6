import type { Application } from '#api/v1alpha1/application.js';

/** Who acts on what an Application is turned into. */
export type Engine = NonNullable<Application['spec']['kind']>;

/** The engine that the spec asks for; undefined when it cannot be told. */
export function statedEngine(application: Application): Engine | undefined {
  const { kind, fluxApp, argoApp } = application.spec;
  if (kind !== undefined) return kind;
  if ((fluxApp === undefined) === (argoApp === undefined)) return undefined;
  return fluxApp === undefined ? 'argocd' : 'fluxcd';
}

/** The engine that holds an Application: what its status remembers wins over what its spec says now. */
export function engineOf(application: Application): Engine | undefined {
  return application.status?.kind ?? statedEngine(application);
}
