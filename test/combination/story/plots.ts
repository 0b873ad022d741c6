import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Surroundings } from './generate-applications.js';
import { APP, chartApp, edit, filesApp, memberOf, type PlotStep } from './plot-steps.js';
import { FLEET_PLOTS } from './plots-fleet.js';
import { REMOVAL_PLOTS } from './plots-removals.js';
import type { Json } from './steps.js';

const SELECTED = { clusterSelector: { matchLabels: { env: 'prod' } }, targetNamespace: 'plot' };

function staged({ random }: Surroundings, canary: string): object {
  const bake = random.chance(0.5) ? { bakeTime: '10m' } : {};
  const onFailure = random.pick([{}, { onFailure: 'Rollback' }]);
  return { rollout: { stages: [{ name: 'canary', clusters: { names: [canary] }, ...bake }], ...onFailure } };
}

/** Returns the first reaction of an operator to a broken canary. */
function takenOut({ random }: Surroundings, cluster: string): PlotStep {
  return random.pick<PlotStep>([
    { do: 'pin', app: APP, back: 1, cluster },
    edit('helm.deploy.0.overrides', [{ clusters: { names: [cluster] }, suspend: true }]),
    { do: 'pauseCluster', cluster, isPaused: true },
    { do: 'label', cluster, labels: { env: 'test' } },
    edit('helm.deploy.0.destination.clusterSelector.exclude', [cluster]),
    { do: 'lead', cluster, member: 'garbage' },
    { do: 'lose', cluster, alsoSecret: true },
  ]);
}

function failedCanary(around: Surroundings): PlotStep[] {
  const canary = around.random.pick(around.clusters);
  return [
    { do: 'label', cluster: canary, labels: { env: 'prod' } },
    chartApp({ destination: SELECTED, values: { color: 'red' } }, staged(around, canary)),
    { do: 'break', member: memberOf(canary), version: '2.0.0' },
    edit('helm.chart.version', '2.0.0'),
    takenOut(around, canary),
  ];
}

function canaryOutBefore(around: Surroundings): PlotStep[] {
  const canary = around.random.pick(around.clusters);
  return [
    { do: 'label', cluster: canary, labels: { env: 'prod' } },
    chartApp({ destination: SELECTED, values: { color: 'red' } }, staged(around, canary)),
    takenOut(around, canary),
    edit('helm.chart.version', '2.0.0'),
  ];
}

function movedEntry({ random }: Surroundings): PlotStep[] {
  const name = random.chance(0.7) ? { name: 'main' } : {};
  const change = random.pick([
    edit('helm.deploy.0.destination.targetNamespace', 'other'),
    edit('helm.deploy.0.releaseName', 'other'),
    edit('helm.chart.chart', 'nginx'),
    edit('helm.deploy.0.destination.clusterSelector.matchLabels.env', 'nowhere'),
    edit('helm.deploy.0.destination.clusterSelector', null),
  ]);
  return [chartApp({ ...name, destination: SELECTED }), change];
}

function typoInOne({ random }: Surroundings): PlotStep[] {
  const other: Json = { destination: SELECTED, releaseName: 'db', storageNamespace: 'db' };
  const typo = 'helm.deploy.1.destination.clusterSelector.matchLabels.env';
  return [chartApp({ destination: SELECTED }), edit('helm.deploy.1', other), edit(typo, random.pick(['prd', 'test']))];
}

/** A destination of a later stage is rejected, or its kubeconfig breaks, in the middle of a rollout. */
function rejectedLater(around: Surroundings): PlotStep[] {
  const { random, clusters } = around;
  const [canary, later] = [random.pick(clusters), random.pick(clusters)];
  const problem = random.pick<PlotStep>([
    { do: 'label', cluster: later, labels: { zone: null } },
    { do: 'lead', cluster: later, member: 'garbage' },
    { do: 'down', member: memberOf(later) },
  ]);
  const values = { color: '${{ cluster.labels.zone }}' };
  return [
    chartApp({ destination: SELECTED, values }, staged(around, canary)),
    problem,
    edit('helm.chart.version', '2.0.0'),
  ];
}

function renamedCluster({ random, clusters }: Surroundings): PlotStep[] {
  const cluster = random.pick(clusters);
  const destination = (name: string): Json => ({ clusterRef: { kind: 'Secret', name }, targetNamespace: 'plot' });
  return [
    chartApp({ destination: destination(cluster) }),
    { do: 'rename', cluster, to: `${cluster}y`, keepsOld: true },
    edit('helm.deploy.0.destination', destination(`${cluster}y`)),
  ];
}

function handedOver(around: Surroundings): PlotStep[] {
  const [first = ''] = around.clusters;
  return [
    chartApp({ destination: SELECTED, values: { color: 'red' } }, staged(around, first)),
    edit('helm.deploy.0.mode', 'Once'),
    ...around.random.pick<PlotStep[]>([
      [edit('helm.chart.version', '3.0.0'), { do: 'pin', app: APP, back: 2 }],
      // Nobody knows what that means.
      [edit('helm.chart.version', '3.x')],
    ]),
  ];
}

function orphans({ random }: Surroundings): PlotStep[] {
  const files = (path: string): PlotStep => filesApp({ targetNamespace: 'plot' }, path, { deletionPolicy: 'Orphan' });
  const end = random.pick<PlotStep>([{ do: 'delete', app: APP }, { do: 'deleteNamespace' }]);
  return [files('./apps'), end, files('./extra')];
}

function plainFirst({ random, clusters }: Surroundings): PlotStep[] {
  const cluster = random.pick(clusters);
  const own = { name: 'own-3', kind: 'HelmRelease', cluster, what: APP, targetNamespace: 'plot' } as const;
  const later = random.pick<PlotStep>([
    { do: 'plain', ...own, act: 'delete' },
    { do: 'plain', ...own, act: 'suspend' },
  ]);
  return [{ do: 'plain', ...own, act: 'create' }, chartApp({ destination: SELECTED }), later];
}

function restored({ random }: Surroundings): PlotStep[] {
  const policy = random.pick([{}, { deletionPolicy: 'Orphan' }]);
  return [chartApp({ destination: SELECTED }, policy), { do: 'restore', keepsStatus: random.chance(0.5) }];
}

function dryRollback(around: Surroundings): PlotStep[] {
  const canary = around.random.pick(around.clusters);
  return [
    chartApp(
      { destination: SELECTED },
      { rollout: { stages: [{ name: 'canary', clusters: { names: [canary] } }], onFailure: 'Rollback' } },
    ),
    { do: 'break', member: memberOf(canary), version: '2.0.0' },
    { do: 'annotate', app: APP, key: DRY_RUN_ANNOTATION, to: 'true' },
    edit('helm.chart.version', '2.0.0'),
  ];
}

/** All plots; each has some choices of its own. */
export const PLOTS: readonly ((around: Surroundings) => readonly PlotStep[])[] = [
  ...[failedCanary, failedCanary, canaryOutBefore, movedEntry, movedEntry, typoInOne, rejectedLater],
  ...[renamedCluster, handedOver, orphans, plainFirst, restored, dryRollback],
  ...FLEET_PLOTS,
  ...REMOVAL_PLOTS,
];
