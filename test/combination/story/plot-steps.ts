import type { ClusterKind } from '../world/clusters.js';
import type { ApplicationStep, InventoryStep, Json, MemberStep, ObjectStep } from './steps.js';

/**
 * Plots are beginnings of accidents: steps that rarely meet by chance, in an order in which they mean something. A story
 * has other steps between them, so that each plot meets everything else. `seconds`: a plot that depends on the time.
 */
export type PlotStep = (ApplicationStep | InventoryStep | MemberStep | ObjectStep) & { readonly seconds?: number };

/** The Application of all plots. */
export const APP = 'plot';
/** Members that only plots use: one for each of their clusters. */
export const PLOT_MEMBERS: readonly string[] = ['plot-1', 'plot-2', 'plot-3'];

/** An Application with one entry or more, of one chart. */
export function chartApp(entries: Json, more: object = {}): PlotStep & ApplicationStep {
  const deploy = Array.isArray(entries) ? (entries as readonly Json[]) : [entries];
  const config = { helmRelease: { chart: { chart: 'podinfo', version: '1.0.0' }, deploy } };
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const spec = { kind: 'fluxcd', ...more, fluxApp: { spec: { source, config } } };
  return { do: 'create', app: APP, spec: spec as Json };
}

export function edit(at: string, to: Json): ApplicationStep {
  return { do: 'edit', app: APP, at, to };
}

/** The member of one of the clusters that every story has. */
export const memberOf = (cluster: string): string => `phys-${cluster.slice(1)}`;

/** The clusters that a plot has for itself: `p1` is a canary, the others are not. */
export function ownClusters(kind: ClusterKind = 'Secret', count = 3): PlotStep[] {
  return PLOT_MEMBERS.slice(0, count).map((member, index) => ({
    ...{ do: 'join', cluster: `p${index + 1}`, kind, member, seconds: 0 },
    labels: { env: 'plot', tier: index === 0 ? 'canary' : 'edge', zone: 'a' },
  }));
}

/** A destination on all clusters that a plot has for itself. */
export const OWN = { clusterSelector: { matchLabels: { env: 'plot' } }, targetNamespace: 'plot' };

/** Stages with `p1` as the canary. */
export function stagedFirst(canary: object = {}, more: object = {}): object {
  return { rollout: { stages: [{ name: 'canary', clusters: { names: ['p1'] }, ...canary }], ...more } };
}

/** Creates the Application with one entry of files. */
export function filesApp(destination: Json, path: string, more: object = {}): PlotStep {
  const source = { sourceRef: { kind: 'GitRepository', name: 'files' } };
  const config = { kustomization: [{ destination, path }] };
  return { do: 'create', app: APP, spec: { kind: 'fluxcd', ...more, fluxApp: { spec: { source, config } } } as Json };
}
