import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Kube } from '#runtime/client/kube.js';
import { packageCharts, startHelmRepository } from '#sandbox/helm-repository.js';
import type { World } from '#sandbox/world.js';
import { createCharts } from './objects.js';

/** A chart of a bench in a Helm repository of its own. */
export interface ServedChart {
  /** Its folder, for the bare helm. */
  readonly folder: string;
  /** Writes HelmRepository `charts` into a namespace. */
  readonly offer: (kube: Kube, namespace: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Writes version 1.0.0 of a chart, packages it with the real helm and serves it. `files` by their path in the chart.
 */
export async function serveChart(
  world: World,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<ServedChart> {
  const charts = path.join(world.dir, 'bench-charts');
  const folder = path.join(charts, name);
  await mkdir(path.join(folder, 'templates'), { recursive: true });
  const all = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, ...files };
  for (const [file, text] of Object.entries(all)) await writeFile(path.join(folder, file), text);
  const root = path.join(world.dir, 'bench-repository');
  await packageCharts({ helm: world.tools.helm, charts, root, home: world.dir });
  const server = await startHelmRepository(root);
  return {
    folder,
    close: () => server.close(),
    offer: (kube, namespace) => createCharts(kube, namespace, `${server.origin}/charts`),
  };
}
