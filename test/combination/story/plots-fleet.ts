/** Plots of clusters and rollouts. */
import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Surroundings } from './generate-applications.js';
import { APP, chartApp, edit, OWN, ownClusters, stagedFirst, type PlotStep } from './plot-steps.js';

const ZONED = { destination: OWN, values: { color: '${{ cluster.labels.zone }}' } };

/** Returns something that befalls one cluster, and is no failure of a revision. */
function misfortune({ random }: Surroundings, cluster: string): PlotStep {
  return random.pick<PlotStep>([
    { do: 'label', cluster, labels: { zone: null }, seconds: 60 },
    { do: 'lead', cluster, member: 'garbage', seconds: 60 },
    { do: 'lose', cluster, alsoSecret: true, seconds: 60 },
    { do: 'down', member: `plot-${cluster.slice(1)}`, seconds: 60 },
  ]);
}

/** In the middle of a rollout, something befalls a cluster that has the revision, or one that has not. */
function misfortuneAmid(around: Surroundings): PlotStep[] {
  const { random } = around;
  const onFailure = random.pick([{}, { onFailure: 'Rollback' }, { onFailure: 'Rollback' }]);
  const stages = [
    { name: 'canary', clusters: { names: ['p1'] } },
    { name: 'rest', bakeTime: '10m' },
  ];
  return [
    ...ownClusters(),
    { ...chartApp(ZONED, { rollout: { stages, ...onFailure } }), seconds: 900 },
    { ...edit('helm.chart.version', '2.0.0'), seconds: random.pick([5, 60]) },
    misfortune(around, random.pick(['p2', 'p3'])),
  ];
}

/** Something befalls a cluster of a later stage before the rollout. */
function misfortuneBefore(around: Surroundings): PlotStep[] {
  const onFailure = around.random.pick([{}, { onFailure: 'Rollback' }]);
  return [
    ...ownClusters(),
    { ...chartApp(ZONED, stagedFirst({}, onFailure)), seconds: 60 },
    misfortune(around, 'p3'),
    { ...edit('helm.chart.version', '2.0.0'), seconds: 60 },
  ];
}

/** Two clusters have one name. */
function oneName({ random }: Surroundings): PlotStep[] {
  const tiers = random.pick([
    ['canary', 'edge'],
    ['edge', 'canary'],
  ]);
  const both = (['Secret', 'Cluster'] as const).map((kind, index): PlotStep => ({
    ...{ do: 'join', cluster: 'twin', kind, member: `plot-${index + 1}`, seconds: 0 },
    ...{ labels: { env: 'plot', tier: tiers[index] ?? '' }, isNameShared: true },
  }));
  const stages = [{ name: 'canary', clusters: { selector: { matchLabels: { tier: 'canary' } } }, bakeTime: '10m' }];
  return [
    ...both,
    { do: 'join', cluster: 'p3', kind: 'Secret', member: 'plot-3', labels: { env: 'plot', tier: 'canary' } },
    { ...chartApp({ destination: OWN }, { rollout: { stages } }), seconds: 900 },
    { ...edit('helm.chart.version', '2.0.0'), seconds: 60 },
  ];
}

/** Paused clusters are resumed after the rollout, all at once. */
function resumedAfter({ random }: Surroundings): PlotStep[] {
  const stages = [{ name: 'canary', clusters: { names: ['p1', 'p2'] }, ...random.pick([{}, { bakeTime: '10m' }]) }];
  const paused = (isPaused: boolean, seconds: number): PlotStep[] =>
    ['p2', 'p3'].map((cluster, index) => ({ do: 'pauseCluster', cluster, isPaused, seconds: index * seconds }));
  return [
    ...ownClusters('Cluster'),
    { ...chartApp({ destination: OWN }, { rollout: { stages } }), seconds: 900 },
    ...paused(true, 60),
    { ...edit('helm.chart.version', '2.0.0'), seconds: 900 },
    ...paused(false, 60),
  ];
}

/** An approval from before an Application was deleted is still in the file that creates it again. */
function createdAgain({ random }: Surroundings): PlotStep[] {
  const rollout = {
    stages: [
      { name: 'canary', clusters: { names: ['p1'] } },
      { name: 'rest', approval: true },
    ],
  };
  const create = (version: string) => {
    const step = chartApp({ destination: OWN }, { deletionPolicy: 'Orphan', rollout });
    return JSON.parse(JSON.stringify(step).replace('1.0.0', version)) as typeof step; // the same with another version
  };
  const approve: PlotStep = { do: 'approve', app: APP, what: 'stage', seconds: 60 };
  const annotations = { 'gitops.kubesphere.io/approve-stage': 'rest@2' };
  return [
    ...ownClusters(),
    { ...create('1.0.0'), seconds: 60 },
    approve,
    { ...edit('helm.chart.version', '2.0.0'), seconds: 60 },
    approve,
    { do: 'delete', app: APP, seconds: 60 },
    { ...create('2.0.0'), ...random.pick([{ annotations }, { annotations }, {}]), seconds: 60 },
    { ...edit('helm.chart.version', '3.0.0'), seconds: 60 },
  ];
}

/** Back to an earlier revision by a pin, and then a revision that fails. */
function failsAfterPin({ random }: Surroundings): PlotStep[] {
  const version = (text: string): PlotStep => ({ ...edit('helm.chart.version', text), seconds: 60 });
  return [
    ...ownClusters(),
    {
      ...chartApp({ destination: OWN }, stagedFirst({}, { onFailure: random.pick(['Rollback', 'Pause']) })),
      seconds: 60,
    },
    ...[version('1.1.0'), version('2.0.0')],
    { do: 'pin', app: APP, back: 2, seconds: 60 },
    { do: 'break', member: 'plot-1', version: '3.0.0', seconds: 0 },
    version('3.0.0'),
    { do: 'unpin', app: APP, seconds: 60 },
  ];
}

/** A value is removed, and the change waits. */
function removedValue(): PlotStep[] {
  const rollout = {
    stages: [
      { name: 'canary', clusters: { names: ['p1'] } },
      { name: 'rest', approval: true },
    ],
  };
  return [
    ...ownClusters(),
    { ...chartApp({ destination: OWN, values: { color: 'red', replicas: 2 } }, { rollout }), seconds: 60 },
    { do: 'approve', app: APP, what: 'stage', seconds: 60 },
    { ...edit('helm.deploy.0.values.replicas', null), seconds: 60 },
  ];
}

/** A dry run shows a change, which is then made. */
function plannedFirst({ random }: Surroundings): PlotStep[] {
  const dry = (to: string | null, seconds: number): PlotStep => ({
    ...{ do: 'annotate', app: APP, key: DRY_RUN_ANNOTATION },
    ...{ to, seconds },
  });
  const change = random.pick([
    edit('helm.deploy.0.overrides', [{ clusters: { names: ['p3'] }, values: { color: 'blue' } }]),
    edit('helm.chart.version', '2.0.0'),
    edit('helm.deploy.0.destination.targetNamespace', 'other'),
    edit('helm.deploy.0', null),
  ]);
  const entries = [
    { destination: OWN, values: { color: 'red' } },
    { destination: OWN, releaseName: 'db' },
  ];
  return [
    ...ownClusters(),
    { ...chartApp(entries, random.pick([{}, stagedFirst(), stagedFirst()])), seconds: 60 },
    dry('true', 0),
    { ...change, seconds: 40.3 },
    dry(null, 5),
  ];
}

/** Limits matter while clusters are slow. */
function slowOnes({ random }: Surroundings): PlotStep[] {
  const limits = random.pick([{ maxConcurrent: 1 }, { maxConcurrent: '50%' }, { maxUnavailable: 1 }]);
  const slow = (['plot-1', 'plot-2', 'plot-3'] as const).map((member): PlotStep => ({
    do: 'slow',
    member,
    seconds: 0,
  }));
  return [
    ...ownClusters(),
    { ...chartApp({ destination: OWN }, { rollout: { stages: [{ name: 'rest', ...limits }] } }), seconds: 900 },
    ...slow,
    { ...edit('helm.chart.version', '2.0.0'), seconds: random.pick([40, 60]) },
    { do: 'break', member: 'plot-2', version: '1.1.0', seconds: 0 },
    edit('helm.chart.version', '1.1.0'),
  ];
}

export const FLEET_PLOTS: readonly ((around: Surroundings) => readonly PlotStep[])[] = [
  ...[misfortuneAmid, misfortuneAmid, misfortuneBefore, oneName, resumedAfter, createdAgain, failsAfterPin],
  ...[removedValue, plannedFirst, plannedFirst, slowOnes],
];
