import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Unstructured } from '../../../api/meta.js';
import { printJson } from '../../runtime/pure/lossless-json.js';
import { outputOrRefusal } from '../../engine/process/refusal.js';
import { createLru } from '../../runtime/pure/lru.js';
import type { Offload } from '../../runtime/offload.js';
import { packCrdChart } from './chart-archive.js';
import { ownCrds } from './model/crds.js';
import { objectsOf } from './model/manifest.js';
import type { ChartRecord } from './model/release.js';
import { helmEnvironment, problemOf, TIMEOUT_MS, type RenderDependencies, type RenderInput } from './render.js';

/** Everything that decides which CRDs a chart brings. */
export interface ChartCrdsInput extends Pick<
  RenderInput,
  'chartPath' | 'chartDigest' | 'traits' | 'values' | 'signal'
> {
  readonly chart: ChartRecord;
  /** Whose chart it is: they wait for each other only. */
  readonly lane: string;
  /** Asked only where helm must be: its answer is the version of the cluster. */
  readonly kubeVersion: () => Promise<string>;
}

export interface ChartCrdsDependencies extends RenderDependencies {
  readonly offload: Pick<Offload, 'run'>;
}

/** What the crds/ folders of a chart and its enabled subcharts hold, or why that cannot be told. */
export type ChartCrdsResult = { readonly crds: readonly Unstructured[] } | { readonly problem: string };

export type ChartCrds = (input: ChartCrdsInput) => Promise<ChartCrdsResult>;

/** Characters of what helm printed; a chart for many clusters is asked once. */
const CACHED_LENGTH = 32 * 1024 * 1024;

type Printed = { readonly output: string } | { readonly problem: string };

/** helm knows which subcharts are enabled; without templates it prints nothing else, whatever the files say. */
async function printCrds(
  { chartPath, lane, signal }: ChartCrdsInput,
  { valuesText, kubeVersion }: { readonly valuesText: string; readonly kubeVersion: string },
  { run, helmPath, scratch, offload }: ChartCrdsDependencies,
): Promise<Printed> {
  const { path: folder, dispose } = await scratch('crds');
  try {
    const [values, chart] = [join(folder, 'values.json'), join(folder, 'chart.tgz')];
    await writeFile(values, valuesText, { mode: 0o600 });
    await writeFile(chart, await packCrdChart(offload, chartPath, lane));
    const flags = [`--values=${values}`, '--include-crds', `--kube-version=${kubeVersion}`];
    const options = { cwd: folder, timeoutMs: TIMEOUT_MS, signal, env: helmEnvironment(folder) };
    const result = await run(helmPath, ['template', ...flags, '--', 'crds', chart], options);
    return outputOrRefusal('helm template', result, (stderr) => problemOf(stderr, folder, chart));
  } finally {
    await dispose();
  }
}

function read(work: () => Unstructured[]): ChartCrdsResult {
  try {
    return { crds: work() };
  } catch (error: unknown) {
    if (!(error instanceof Error)) throw error;
    return { problem: `the CRDs of the chart cannot be read: ${error.message}` };
  }
}

/**
 * Finds the CRDs of charts apart from what they render to: a file in crds/ may hold any text, also one that looks like
 * a rendered document. Rejects when helm could not run, timed out or was cancelled.
 */
export function createChartCrds(deps: ChartCrdsDependencies): ChartCrds {
  const cache = createLru<string>(CACHED_LENGTH, (output) => output.length);
  return async (input) => {
    const { traits, chart, chartDigest, values } = input;
    if (traits.crds === 'none') return { crds: [] };
    if (traits.crds === 'own') return read(() => ownCrds(chart));
    const given = { valuesText: printJson(values), kubeVersion: await input.kubeVersion() };
    const key = createHash('sha256')
      .update(JSON.stringify({ chartDigest, ...given }))
      .digest('hex');
    const known = cache.get(key);
    const printed = known === undefined ? await printCrds(input, given, deps) : { output: known };
    if ('problem' in printed) return printed;
    cache.set(key, printed.output);
    return read(() => objectsOf(printed.output));
  };
}
