import { namespaceResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { installCrds } from '#cli/install/crds.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { helm } from './scenarios/shell.js';
import type { Bench } from './bench.js';
import { peakMiB } from './controller-figures.js';
import { ratio } from './figures.js';
import { engineRound, forEach, idleCost, type Round } from './rounds.js';
import { serveChart, type ServedChart } from './served-chart.js';
import { withEngine } from './with-engine.js';
import { withWorld } from './with-world.js';

const CHART = 'trio';
const VERSION = '1.0.0';

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

function release(namespace: string, index: number, turn: string): HelmRelease {
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: nameOf(index), namespace },
    spec: { interval: '10m', chart: { spec: { chart: CHART, version: VERSION, sourceRef } }, values: { turn } },
  };
}

/** From the first apply to the last release that is Ready. */
function roundOf({ kube, namespace, releases }: Place, controller: ControllerProcess, turn: string): Promise<Round> {
  const objects = Array.from({ length: releases }, (_, index) => release(namespace, index, turn));
  return engineRound({ kube, type: helmReleaseResource, namespace, objects }, controller);
}

/** The real helm, once for each release, as many at the same time as the engine may have. */
async function bareRound({ world, releases, concurrency, chart, namespace }: Place, turn: string): Promise<number> {
  const startedAt = performance.now();
  await forEach(releases, concurrency, (index) =>
    helm(
      world,
      world.host,
      ...[
        'upgrade',
        '--install',
        nameOf(index),
        chart.folder,
        '-n',
        `${namespace}-bare`,
        '--set',
        `turn=${turn}`,
        '--wait',
      ],
    ),
  );
  return (performance.now() - startedAt) / 1_000;
}

/** Gives what `run` measures to a controller of its own, in namespaces of its own. */
async function withController<T>(place: Place, run: (controller: ControllerProcess) => Promise<T>): Promise<T> {
  const { kube, namespace, chart } = place;
  for (const name of [namespace, `${namespace}-bare`]) {
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await chart.offer(kube, namespace);
  return withEngine(place, run);
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
  return {
    releases,
    concurrency,
    seconds,
    idle: await idleCost(place.world, controller),
    peakMiB: await peakMiB(controller),
  };
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
  withWorld({ members: 0 }, async (world) => {
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    await installCrds(kube, { takeOver: false });
    const chart = await serveChart(world, CHART, FILES);
    const results: Record<string, unknown>[] = [];
    const placeOf = (subject: Case): Place => {
      const namespace = `bench-${subject.releases}-${subject.concurrency}`;
      return { ...subject, world, kube, namespace, chart };
    };
    for (const place of (full ? FULL : SHORT).map(placeOf)) {
      results.push(await withController(place, (controller) => besideHelm(place, controller)));
    }
    const many = placeOf(MANY);
    if (full) results.push(await withController(many, (controller) => byItself(many, controller)));
    await chart.close();
    await kube.close();
    return { cases: results };
  });
