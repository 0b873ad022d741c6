import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { helm } from './scenarios/shell.js';
import { engineFlags, engineRound, idleCost, peakMiB, type Round, withController } from './controller.js';
import { ratio } from './figures.js';
import { type Bench, forEach, secondsOf, withCrds } from './harness.js';
import { createNamespaces, releaseOf } from './objects.js';
import { serveChart, type ServedChart } from './served-chart.js';

const CHART = 'trio';

/** Three objects that are ready at once: what is measured is the engine, not the cluster. */
const FILES: Readonly<Record<string, string>> = {
  'values.yaml': 'turn: first\n',
  'templates/configmap.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  turn: {{ .Values.turn | quote }}\n',
  'templates/service.yaml':
    'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  clusterIP: None\n  selector:\n    app: {{ .Release.Name }}\n  ports:\n    - port: 80\n',
  'templates/serviceaccount.yaml': 'apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {{ .Release.Name }}\n',
};

interface Case {
  readonly releases: number;
  readonly concurrency: number;
}

interface Place extends Case {
  readonly world: World;
  readonly kube: Kube;
  readonly namespace: string;
  readonly chart: ServedChart;
}

function nameOf(index: number): string {
  return `release-${index}`;
}

/** From the first apply to the last release that is Ready. */
function roundOf({ kube, namespace, releases }: Place, controller: ControllerProcess, turn: string): Promise<Round> {
  const objects = Array.from({ length: releases }, (_, index) =>
    releaseOf({ name: nameOf(index), namespace }, CHART, { values: { turn } }),
  );
  return engineRound({ kube, type: helmReleaseResource, namespace, objects }, controller);
}

/** The real helm, once for each release, as many at the same time as the engine may have. */
function bareRound({ world, releases, concurrency, chart, namespace }: Place, turn: string): Promise<number> {
  const install = (index: number): Promise<string> =>
    helm(
      ...([world, world.host, 'upgrade', '--install', nameOf(index), chart.folder, '-n', `${namespace}-bare`] as const),
      ...['--set', `turn=${turn}`, '--wait'],
    );
  return secondsOf(() => forEach(releases, install, concurrency));
}

/** Gives what `run` measures to a controller of its own, in namespaces of its own. */
async function inPlace<T>(place: Place, run: (controller: ControllerProcess) => Promise<T>): Promise<T> {
  const { world, kube, namespace, chart } = place;
  await createNamespaces(kube, namespace, `${namespace}-bare`);
  await chart.offer(kube, namespace);
  return withController(world, engineFlags(place), run);
}

async function besideHelm(place: Place, controller: ControllerProcess): Promise<Record<string, unknown>> {
  const { releases, concurrency } = place;
  const install = await roundOf(place, controller, 'first');
  const bareInstall = await bareRound(place, 'first');
  const upgrade = await roundOf(place, controller, 'second');
  const bareUpgrade = await bareRound(place, 'second');
  return {
    ...{ releases, concurrency, install, bareInstallSeconds: bareInstall, upgrade, bareUpgradeSeconds: bareUpgrade },
    ratioInstallTimeToBare: ratio(install.seconds, bareInstall),
    ratioUpgradeTimeToBare: ratio(upgrade.seconds, bareUpgrade),
    idle: await idleCost(place.world, controller),
    peakMiB: await peakMiB(controller),
  };
}

/** What many releases take of memory; helm, which takes minutes for them, is left out. */
async function byItself(place: Place, controller: ControllerProcess): Promise<Record<string, unknown>> {
  const { releases, concurrency } = place;
  const install = await roundOf(place, controller, 'first');
  const upgrade = await roundOf(place, controller, 'second');
  const seconds = { install: install.seconds, upgrade: upgrade.seconds };
  const idle = await idleCost(place.world, controller);
  return { releases, concurrency, seconds, idle, peakMiB: await peakMiB(controller) };
}

const SHORT: readonly Case[] = [{ releases: 100, concurrency: 4 }];
const FULL: readonly Case[] = [
  { releases: 100, concurrency: 4 },
  { releases: 100, concurrency: 10 },
  { releases: 300, concurrency: 4 },
  { releases: 300, concurrency: 10 },
];

const MANY: Case = { releases: 1_000, concurrency: 10 };

/** Installs and upgrades by the engine, compared with a loop of the real helm; ratios of times: below 1 is faster. */
export const helmBench: Bench = ({ full }) =>
  withCrds(async ({ world, kube }) => {
    const chart = await serveChart(world, CHART, FILES);
    const results: Record<string, unknown>[] = [];
    const placeOf = (subject: Case): Place => {
      const namespace = `bench-${subject.releases}-${subject.concurrency}`;
      return { ...subject, world, kube, namespace, chart };
    };
    for (const place of (full ? FULL : SHORT).map(placeOf)) {
      results.push(await inPlace(place, (controller) => besideHelm(place, controller)));
    }
    const many = placeOf(MANY);
    if (full) results.push(await inPlace(many, (controller) => byItself(many, controller)));
    await chart.close();
    return { cases: results };
  });
