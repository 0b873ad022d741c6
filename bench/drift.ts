import { setTimeout as delay } from 'node:timers/promises';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { installCrds } from '#cli/install/crds.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { isTrue } from '#lib/kube/conditions.js';
import { startController } from '#sandbox/controller-process.js';
import { eventually } from './scenarios/eventually.js';
import type { Bench } from './bench.js';
import { median } from './figures.js';
import { serveChart } from './served-chart.js';
import { withWorld } from './with-world.js';

const CHART = 'ten';
const OBJECTS = 10;
const NAMESPACE = 'default';
const LOOK_MS = 20;
/** Between two rounds: the pass that follows a correction is over. */
const REST_MS = 3_000;

const FILES = {
  'templates/maps.yaml': `{{- range until ${OBJECTS} }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ $.Release.Name }}-{{ . }}\n{{- end }}\n`,
};

function nameOf(index: number): string {
  return `${CHART}-${index}`;
}

async function install(kube: Kube): Promise<void> {
  const sourceRef = { kind: 'HelmRepository', name: 'charts' } as const;
  const release: HelmRelease = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: CHART, namespace: NAMESPACE },
    spec: {
      interval: '10m',
      chart: { spec: { chart: CHART, version: '1.0.0', sourceRef } },
      driftDetection: { mode: 'enabled' },
    },
  };
  await kube.apply(helmReleaseResource, release, { fieldManager: 'bench', force: true });
  await eventually(
    async () => {
      const found = await kube.get<HelmRelease>(helmReleaseResource, release.metadata);
      if (!isTrue(found?.status?.conditions, 'Ready')) throw new Error(JSON.stringify(found?.status));
    },
    { timeoutMs: 60_000 },
  );
}

/** Seconds from the first delete until the last ConfigMap is back. */
async function round(kube: Kube): Promise<number> {
  const startedAt = performance.now();
  const all = Array.from({ length: OBJECTS }, (_, index) => ({ name: nameOf(index), namespace: NAMESPACE }));
  await Promise.all(all.map((ref) => kube.delete(configMapResource, ref)));
  for (;;) {
    const { items } = await kube.list(configMapResource, { namespace: NAMESPACE });
    if (items.filter(({ metadata }) => metadata.name.startsWith(`${CHART}-`)).length === OBJECTS) break;
    await delay(LOOK_MS);
  }
  return Math.round(performance.now() - startedAt) / 1_000;
}

/**
 * Deletes ten ConfigMaps of a release that watches what it manages, 20 times (5 without --full): how soon are they
 * back?
 */
export const driftBench: Bench = ({ full }) =>
  withWorld({ members: 0 }, async (world) => {
    const kube = await kubeFromFile({ path: world.host.kubeconfig });
    await installCrds(kube, { takeOver: false });
    const chart = await serveChart(world, CHART, FILES);
    await chart.offer(kube, NAMESPACE);
    const controller = await startController({
      kubeconfig: world.host.kubeconfig,
      helm: world.tools.helm,
      dir: world.dir,
    });
    try {
      await install(kube);
      const seconds: number[] = [];
      for (let left = full ? 20 : 5; left > 0; left -= 1) {
        await delay(REST_MS);
        seconds.push(await round(kube));
      }
      return {
        objects: OBJECTS,
        rounds: seconds.length,
        medianSeconds: median(seconds),
        worstSeconds: Math.max(...seconds),
      };
    } finally {
      await controller.stop();
      await chart.close();
      await kube.close();
    }
  });
