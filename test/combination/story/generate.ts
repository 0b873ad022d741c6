import { ABANDON_ANNOTATION, DRY_RUN_ANNOTATION, PAUSE_ROLLOUT_ANNOTATION } from '#api/v1alpha1/labels.js';
import {
  applicationSpec,
  COLORS,
  ENVS,
  entry,
  NAMESPACES,
  PATHS,
  rollout,
  VERSIONS,
  type Surroundings,
} from './generate-applications.js';
import { memberOf, PLOT_MEMBERS } from './plot-steps.js';
import { PLOTS } from './plots.js';
import { Random } from './random.js';
import type {
  ApplicationStep,
  InventoryStep,
  Json,
  MemberStep,
  ObjectStep,
  ProcessStep,
  Step,
  Story,
  TimeStep,
} from './steps.js';

type Bare = ApplicationStep | ObjectStep | InventoryStep | MemberStep | ProcessStep | TimeStep;

interface Given extends Surroundings {
  readonly members: readonly string[];
}

function edit(app: string, at: string, to: Json): ApplicationStep {
  return { do: 'edit', app, at, to };
}

/** Edits of what runs, and how. */
function contentEdit({ random }: Given, app: string): ApplicationStep {
  const index = random.between(0, 1);
  return random.weighted<ApplicationStep>([
    [8, edit(app, 'helm.chart.version', random.pick(VERSIONS))],
    [1, edit(app, 'helm.chart.chart', random.pick(['podinfo', 'nginx']))],
    [4, edit(app, `helm.deploy.${index}.values.color`, random.pick(COLORS))],
    [1, edit(app, `helm.deploy.${index}.values.color`, '${{ cluster.labels.zone }}')],
    [1, edit(app, `helm.deploy.${index}.mode`, random.pick<Json>(['Once', null]))],
    [1, edit(app, `helm.deploy.${index}.suspend`, random.pick<Json>([true, null]))],
    [2, edit(app, `files.${index}.path`, random.pick(PATHS))],
    [1, edit(app, 'config.suspend', random.pick<Json>([true, null, null]))],
  ]);
}

/** Edits of where it runs. */
function placeEdit(given: Given, app: string): ApplicationStep {
  const { random, clusters } = given;
  const list = random.pick(['helm.deploy', 'files']);
  const index = random.between(0, 1);
  const at = `${list}.${index}`;
  const selector = `${at}.destination.clusterSelector`;
  return random.weighted<ApplicationStep>([
    [3, edit(app, `${at}.destination.targetNamespace`, random.pick(NAMESPACES))],
    [1, edit(app, `${at}.releaseName`, random.pick<Json>(['web', 'shop', null]))],
    [1, edit(app, `${at}.storageNamespace`, random.pick<Json>(['store', null]))],
    [2, edit(app, `${at}.name`, random.pick<Json>(['main', 'side', null]))],
    [2, edit(app, `${selector}.matchLabels.env`, random.pick([...ENVS, 'nowhere']))],
    [1, edit(app, `${selector}.exclude`, random.pick<Json>([[random.pick(clusters)], null]))],
    [1, edit(app, selector, null)],
    [1, edit(app, `${at}.destination.clusterRef`, { kind: 'Secret', name: random.pick(clusters) })],
    [1, edit(app, at, null)],
    [1, edit(app, `${list}.1`, entry(given, list === 'files' ? 'files' : 'helm'))],
  ]);
}

/** Edits of the rules. */
function ruleEdit(given: Given, app: string): ApplicationStep {
  const { random } = given;
  return random.weighted<ApplicationStep>([
    [2, edit(app, 'rollout', random.chance(0.8) ? rollout(given) : null)],
    [1, edit(app, 'rollout.onFailure', random.pick(['Pause', 'Rollback', 'Continue']))],
    [1, edit(app, 'rollout.paused', random.pick<Json>([true, null]))],
    [1, edit(app, 'deletionPolicy', random.pick<Json>(['Orphan', null]))],
    [1, edit(app, 'maxRemovals', random.pick<Json>([0, 1, '50%', null]))],
  ]);
}

function annotation({ random, clusters }: Given, app: string): ApplicationStep {
  const [key, to] = random.weighted<readonly [string, string | null]>([
    [2, [PAUSE_ROLLOUT_ANNOTATION, random.pick(['true', null])]],
    [1, [DRY_RUN_ANNOTATION, random.pick(['true', null, null])]],
    [1, [ABANDON_ANNOTATION, random.pick(clusters)]],
  ]);
  return { do: 'annotate', app, key, to };
}

function applicationStep(given: Given): ApplicationStep {
  const { random, apps, clusters } = given;
  const app = random.pick(apps);
  const cluster = random.chance(0.6) ? { cluster: random.pick(clusters) } : {};
  return random.weighted<() => ApplicationStep>([
    [14, () => contentEdit(given, app)],
    [8, () => placeEdit(given, app)],
    [4, () => ruleEdit(given, app)],
    [3, () => annotation(given, app)],
    [4, () => ({ do: 'approve', app, what: 'stage' })],
    [3, () => ({ do: 'approve', app, what: 'removals' })],
    [2, () => ({ do: 'approve', app, what: 'retry' })],
    [1, () => ({ do: 'approve', app, what: 'abort' })],
    [3, () => ({ do: 'pin', app, back: random.between(0, 2), ...cluster })],
    [2, () => ({ do: 'unpin', app, ...cluster })],
    [
      1,
      () => ({ do: 'delete', app, ...(random.chance(0.3) ? { cascade: random.pick(['Orphan', 'Foreground']) } : {}) }),
    ],
    [2, () => ({ do: 'create', app, spec: applicationSpec(given) })],
  ])();
}

function objectStep({ random, apps, clusters }: Given): ObjectStep {
  const app = random.pick(apps);
  const kind = random.chance(0.7) ? 'HelmRelease' : 'Kustomization';
  const what = kind === 'HelmRelease' ? random.pick([...apps, 'web', 'shop']) : random.pick(PATHS);
  const name = `own-${random.between(1, 2)}`;
  const cluster = random.chance(0.8) ? { cluster: random.pick(clusters) } : {};
  const targetNamespace = random.pick(NAMESPACES);
  const act = random.pick(['edit', 'suspend', 'resume', 'delete'] as const);
  return random.weighted<ObjectStep>([
    [4, { do: 'child', app, index: random.between(0, 7), act: random.pick(['delete', 'suspend', 'resume', 'edit']) }],
    [3, { do: 'plain', kind, name, act: 'create', what, targetNamespace, ...cluster }],
    [2, { do: 'plain', kind, name, act }],
    [
      3,
      {
        do: 'template',
        name: 'base',
        chart: random.chance(0.85) ? 'podinfo' : 'nginx',
        version: random.pick(VERSIONS),
      },
    ],
    [3, { do: 'commit', number: random.between(1, 5) }],
    [1, { do: 'restore', keepsStatus: random.chance(0.3) }],
    [0.3, { do: 'deleteNamespace' }],
  ]);
}

function inventoryStep({ random, clusters, members }: Given): InventoryStep {
  const cluster = random.pick(clusters);
  const member = random.pick(members);
  return random.weighted<InventoryStep>([
    [4, { do: 'label', cluster, labels: { env: random.pick([...ENVS, null]) } }],
    [2, { do: 'label', cluster, labels: { zone: random.pick(['a', null]) } }],
    [1, { do: 'label', cluster, labels: { tier: random.pick(['canary', 'edge', null]) } }],
    [1, { do: 'label', cluster, labels: { 'gitops.kubesphere.io/cluster': random.pick(['true', 'false']) } }],
    [1, { do: 'lose', cluster, alsoSecret: random.chance(0.5) }],
    [1, { do: 'rename', cluster, to: `${cluster}x`, keepsOld: random.chance(0.3) }],
    [1, { do: 'lead', cluster, member }],
    [2, { do: 'lead', cluster, member: memberOf(cluster) }],
    [1, { do: 'lead', cluster, member: 'garbage' }],
    [2, { do: 'pauseCluster', cluster, isPaused: random.chance(0.5) }],
    [1, { do: 'accept', cluster }],
    [
      1,
      {
        do: 'join',
        cluster,
        kind: random.pick(['Secret', 'Cluster']),
        labels: { env: random.pick(ENVS) },
        member: memberOf(cluster),
      },
    ],
  ]);
}

function memberStep({ random, members }: Given): MemberStep {
  const member = random.pick(members);
  return random.weighted<MemberStep>([
    [3, { do: 'down', member }],
    [4, { do: 'up', member }],
    [2, { do: 'slow', member }],
    [2, { do: 'fast', member }],
    [5, { do: 'break', member, version: random.pick(VERSIONS) }],
    [4, { do: 'mend', member }],
  ]);
}

function processStep({ random }: Given): ProcessStep {
  return random.weighted<ProcessStep>([
    [4, { do: 'crash', afterWrites: random.between(1, 6) }],
    [2, { do: 'restart' }],
    [2, { do: 'stale', kinds: [random.pick(['Application', 'children', 'inventory'])] }],
    [2, { do: 'fresh' }],
  ]);
}

function timeStep({ random }: Given): TimeStep {
  return random.chance(0.8) ? { do: 'wait' } : { do: 'jump', by: random.pick([60, 3_600]) };
}

function anyStep(given: Given): Bare {
  return given.random.weighted<(each: Given) => Bare>([
    [50, applicationStep],
    [12, objectStep],
    [14, inventoryStep],
    [14, memberStep],
    [7, processStep],
    [4, timeStep],
  ])(given);
}

function withTime(random: Random, step: Bare): Step {
  return {
    ...step,
    seconds: random.weighted([
      [5, 60],
      [2, 5],
      [2, 40],
      [1, 900],
    ]),
  };
}

/** Where each step of a plot comes among others: what follows at once follows at once. */
function placesOf(random: Random, plot: readonly Step[], most: number): number[] {
  const places = plot.map(() => random.between(0, most)).sort((a, b) => a - b);
  for (const [index, step] of plot.entries()) {
    if (step.seconds === 0 && index + 1 < places.length) places[index + 1] = places[index] ?? 0;
  }
  return places.sort((a, b) => a - b);
}

/** The steps of both, each in its order. */
function mixed(random: Random, one: readonly Step[], other: readonly Step[]): Step[] {
  const places = placesOf(random, other, one.length);
  return one
    .flatMap((step, index) => [...other.filter((_, each) => places[each] === index), step])
    .concat(other.filter((_, each) => places[each] === one.length));
}

/** The steps of one plot; those that say how long everybody then works keep that. */
function plotOf(given: Given): Step[] {
  const steps = given.random.pick(PLOTS)(given);
  return steps.map((step) => ({ ...withTime(given.random, step), ...step }));
}

/** How long stories are. */
export interface Size {
  readonly least: number;
  readonly most: number;
}

/** Stories from this seed on, which `npm run test:long` plays, have up to 100 steps. */
const LONG_FROM_SEED = 1_000_000;

function sizeOf(seed: number): Size {
  return { least: 20, most: seed < LONG_FROM_SEED ? 40 : 100 };
}

/** A random story: clusters, Applications, and what happens to them. The same seed makes the same story. */
export function generate(seed: number, size = sizeOf(seed)): Story {
  const random = new Random(seed);
  const numbers = Array.from({ length: random.between(2, 8) }, (_, index) => index + 1);
  const clusters = numbers.map((number) => `c${number}`);
  const members = numbers.map((number) => `phys-${number}`);
  const apps = ['web', 'shop', 'plot'].slice(
    0,
    random.weighted([
      [5, 1],
      [3, 2],
      [2, 3],
    ]),
  );
  const given: Given = { random, clusters, members, apps };
  const joins = clusters.map((cluster): Step => ({
    do: 'join',
    cluster,
    kind: random.chance(0.7) ? 'Secret' : 'Cluster',
    labels: { env: random.chance(0.75) ? 'prod' : 'test', tier: random.chance(0.3) ? 'canary' : 'edge', zone: 'a' },
    member: memberOf(cluster),
    seconds: 0,
  }));
  const template: Step = { do: 'template', name: 'base', chart: 'podinfo', version: '1.0.0', seconds: 5 };
  const creates = apps.map((app): Step => ({ do: 'create', app, spec: applicationSpec(given), seconds: 300 }));
  const count = random.between(size.least, size.most);
  const steps = Array.from({ length: count }, () => withTime(random, anyStep(given)));
  const all = mixed(random, steps, random.chance(0.6) ? plotOf(given) : []);
  return { members: [...members, ...PLOT_MEMBERS], steps: [...joins, template, ...creates, ...all] };
}
