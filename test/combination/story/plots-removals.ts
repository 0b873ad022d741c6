/** Plots of releases that leave, move, or are somebody else's. */
import type { Surroundings } from './generate-applications.js';
import { APP, chartApp, edit, filesApp, OWN, ownClusters, type PlotStep } from './plot-steps.js';
import type { Json } from './steps.js';

/** A cluster gets another name and its entry, too, before anybody asked the cluster who it is. */
function renamedAtOnce({ random }: Surroundings): PlotStep[] {
  const destination = (name: string): Json => ({ clusterRef: { kind: 'Secret', name }, targetNamespace: 'plot' });
  return [
    ...ownClusters('Secret', 1),
    { ...chartApp({ destination: destination('p1') }), seconds: 60 },
    { do: 'rename', cluster: 'p1', to: 'p1y', keepsOld: random.chance(0.7), seconds: 0 },
    { ...edit('helm.deploy.0.destination', destination('p1y')), seconds: 60 },
  ];
}

/** Clusters stop to match, one after another or at once. */
function leavingOnes({ random }: Surroundings): PlotStep[] {
  const limit = random.pick<object>([{}, {}, { maxRemovals: 1 }, { maxRemovals: '50%' }]);
  const seconds = random.pick([0, 20, 60, 900]);
  const leave = ['p1', 'p2', 'p3'].map((cluster): PlotStep => ({
    ...{ do: 'label', cluster, labels: { env: 'nowhere' }, seconds },
  }));
  const approve: PlotStep = { do: 'approve', app: APP, what: 'removals', seconds: 5 };
  const name = random.pick<object>([{}, { name: 'main' }]);
  return [
    ...ownClusters(),
    { ...chartApp({ ...name, destination: OWN }, limit), seconds: 60 },
    ...leave.slice(0, 2),
    ...(random.chance(0.4) ? [approve] : []),
    ...leave.slice(2),
  ];
}

/** A selector becomes one that nobody understands, the removals are approved, and it becomes another one. */
function approvedTooEarly({ random }: Surroundings): PlotStep[] {
  const selector = 'helm.deploy.0.destination.clusterSelector';
  return [
    ...ownClusters(),
    { ...chartApp({ destination: OWN }), seconds: 60 },
    ...(random.chance(0.5) ? [{ ...edit(selector, { matchLabels: { env: 'nowhere' } }), seconds: 60 }] : []),
    { ...edit(selector, random.pick<Json>([{}, { matchLabels: { env: 'elsewhere' } }])), seconds: 60 },
    { do: 'approve', app: APP, what: 'removals', seconds: 5 },
    { ...edit(selector, { matchLabels: { env: 'gone' } }), seconds: 60 },
  ];
}

/** A template that an Application follows gets another chart. */
function otherTemplate({ random }: Surroundings): PlotStep[] {
  const base = (chart: string, seconds: number): PlotStep => ({
    ...{ do: 'template', name: 'plot', chart, version: '1.0.0', seconds },
  });
  const destination = random.pick<Json>([OWN, { clusterRef: { kind: 'Secret', name: 'p1' }, targetNamespace: 'plot' }]);
  const config = { helmRelease: { template: 'plot', deploy: [{ destination }] } };
  const policy = random.pick<object>([{}, {}, { maxRemovals: 1 }, { deletionPolicy: 'Orphan' }]);
  const spec = { kind: 'fluxcd', ...policy, fluxApp: { spec: { config } } };
  return [
    ...ownClusters(),
    base('podinfo', 5),
    { do: 'create', app: APP, spec: spec as Json, seconds: 60 },
    base('nginx', 60),
    ...(random.chance(0.3) ? [{ do: 'approve', app: APP, what: 'removals', seconds: 60 } as const] : []),
  ];
}

/** A release on a cluster that is named gets another name, place or chart. */
function movedByName({ random }: Surroundings): PlotStep[] {
  const destination = { clusterRef: { kind: 'Secret', name: 'p1' }, targetNamespace: 'plot' };
  const change = random.pick([
    edit('helm.deploy.0.destination.targetNamespace', 'other'),
    edit('helm.deploy.0.releaseName', 'other'),
    edit('helm.chart.chart', 'nginx'),
  ]);
  return [
    ...ownClusters('Secret', 1),
    { ...chartApp({ name: 'main', destination }), seconds: 60 },
    { ...change, seconds: 60 },
  ];
}

/** A user applies files to a cluster already. */
function plainFiles({ random }: Surroundings): PlotStep[] {
  const own = { kind: 'Kustomization', name: 'own-4', cluster: 'p1', what: './apps', targetNamespace: 'plot' } as const;
  const later = random.pick(['delete', 'suspend'] as const);
  const destination = { clusterRef: { kind: 'Secret', name: 'p1' }, targetNamespace: 'plot' };
  return [
    ...ownClusters('Secret', 1),
    { do: 'plain', ...own, act: 'create', seconds: 60 },
    { ...filesApp(destination, './apps'), seconds: 60 },
    { do: 'plain', ...own, act: later, seconds: 60 },
  ];
}

/** Another Application of the same name, with another path, meets what the first one left behind. */
function leftBehind({ random }: Surroundings): PlotStep[] {
  const destination = { targetNamespace: 'plot' };
  return [
    { ...filesApp(destination, './apps', { deletionPolicy: 'Orphan' }), seconds: 60 },
    { do: 'delete', app: APP, seconds: 60 },
    {
      ...filesApp(destination, random.pick(['./extra', './apps']), random.pick([{}, { deletionPolicy: 'Orphan' }])),
      seconds: 60,
    },
  ];
}

export const REMOVAL_PLOTS: readonly ((around: Surroundings) => readonly PlotStep[])[] = [
  renamedAtOnce,
  // Twice as often as the others.
  ...[leavingOnes, leavingOnes],
  ...[approvedTooEarly, otherTemplate, movedByName, plainFiles, leftBehind],
];
