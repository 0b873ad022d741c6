import { setTimeout as delay } from 'node:timers/promises';
import { configMapResource } from '#api/core.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import type { Kube } from '#runtime/client/kube.js';
import { isTrue } from '#lib/kube/conditions.js';
import { eventually } from './scenarios/eventually.js';
import { withController } from './controller.js';
import { median } from './figures.js';
import { type Bench, withCrds } from './harness.js';
import { APPLY, releaseOf } from './objects.js';
import { serveChart } from './served-chart.js';

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
  const release = releaseOf({ name: CHART, namespace: NAMESPACE }, CHART, { driftDetection: { mode: 'enabled' } });
  await kube.apply(helmReleaseResource, release, APPLY);
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
  withCrds(async ({ world, kube }) => {
    const chart = await serveChart(world, CHART, FILES);
    await chart.offer(kube, NAMESPACE);
    const seconds: number[] = [];
    await withController(world, [], async () => {
      await install(kube);
      for (let left = full ? 20 : 5; left > 0; left -= 1) {
        await delay(REST_MS);
        seconds.push(await round(kube));
      }
    }).finally(() => chart.close());
    return {
      ...{ objects: OBJECTS, rounds: seconds.length },
      ...{ medianSeconds: median(seconds), worstSeconds: Math.max(...seconds) },
    };
  });
