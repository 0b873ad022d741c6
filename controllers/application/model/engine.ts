import type { Application } from '#api/v1alpha1/application.js';

/** The engine that reconciles the children of an Application. */
export type Engine = NonNullable<Application['spec']['kind']>;

/** The engine in the spec; undefined if it is unclear. */
export function statedEngine(application: Application): Engine | undefined {
  const { kind, fluxApp, argoApp } = application.spec;
  if (kind !== undefined) return kind;
  if ((fluxApp === undefined) === (argoApp === undefined)) return undefined;
  return fluxApp === undefined ? 'argocd' : 'fluxcd';
}

/** The engine of an Application: the one in its status takes precedence over its spec. */
export function engineOf(application: Application): Engine | undefined {
  return application.status?.kind ?? statedEngine(application);
}
