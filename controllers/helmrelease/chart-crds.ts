import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { helmEnvironment, outputOrRefusal } from '#engine/process/run.js';
import { printJson, printJsonForYaml } from '#lib/json/lossless-json.js';
import { keptBytes } from '#lib/json/nesting.js';
import { createLru } from '#lib/lru.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { packCrdChart } from './chart-archive.js';
import { type CrdText, ownCrdTexts } from './model/crds.js';
import type { ChartRecord } from './model/release.js';
import { MOST_CRD_TEXT, type ReadCrds, readCrdsAside } from './read-crds.js';
import { problemOf, type RenderDependencies, type RenderInput, TIMEOUT_MS } from './render.js';

/** Everything that decides which CRDs a chart brings. */
export interface ChartCrdsInput extends Pick<
  RenderInput,
  'chartPath' | 'chartDigest' | 'traits' | 'values' | 'signal'
> {
  readonly chart: ChartRecord;
  /** The owner of the chart: charts of one tenant share a queue. */
  readonly tenant: string;
  /** Called only if helm has to run. */
  readonly kubeVersion: () => Promise<string>;
}

export interface ChartCrdsDependencies extends RenderDependencies {
  readonly offload: Pick<Offload, 'run'>;
}

/** The content of the crds/ folders of a chart and its enabled subcharts, or why it is not known. */
export type ChartCrds = (input: ChartCrdsInput) => Promise<ReadCrds>;

/** Approximate bytes of memory of what was read; a chart for many clusters is read once. */
const CACHED_BYTES = 64 * 1024 * 1024;

type Printed = { readonly output: string } | { readonly problem: string };

/** helm decides which subcharts are enabled. Without templates it prints CRDs only. */
async function printCrds(
  { chartPath, tenant, signal }: ChartCrdsInput,
  { valuesText, kubeVersion }: { readonly valuesText: string; readonly kubeVersion: string },
  { run, helmPath, scratch, offload }: ChartCrdsDependencies,
): Promise<Printed> {
  const { path: folder, dispose } = await scratch('crds');
  try {
    const [values, chart] = [join(folder, 'values.json'), join(folder, 'chart.tgz')];
    await writeFile(values, valuesText, { mode: 0o600 });
    await writeFile(chart, await packCrdChart(offload, chartPath, tenant));
    const flags = [`--values=${values}`, '--include-crds', `--kube-version=${kubeVersion}`];
    const options = {
      maxOutputBytes: MOST_CRD_TEXT,
      cwd: folder,
      timeoutMs: TIMEOUT_MS,
      signal,
      env: helmEnvironment(folder),
    };
    const result = await run(helmPath, ['template', ...flags, '--', 'crds', chart], options);
    return outputOrRefusal('helm template', result, (stderr) => problemOf(stderr, folder, chart));
  } finally {
    await dispose();
  }
}

/** The texts of the CRDs, or why helm does not print them. */
async function textsOf(
  input: ChartCrdsInput,
  given: { readonly valuesText: string; readonly kubeVersion: string },
  deps: ChartCrdsDependencies,
): Promise<readonly CrdText[] | { readonly problem: string }> {
  if (input.traits.crds === 'own') return ownCrdTexts(input.chart);
  const printed = await printCrds(input, given, deps);
  return 'problem' in printed ? printed : [{ text: printed.output }];
}

/**
 * Finds the CRDs of charts separately from what they render to: a file in crds/ may contain any text, even one that
 * looks like a rendered document. Rejects when helm could not run, timed out or was cancelled.
 */
export function createChartCrds(deps: ChartCrdsDependencies): ChartCrds {
  const cache = createLru<{ readonly result: ReadCrds; readonly size: number }>(CACHED_BYTES, ({ size }) => size);
  return async (input) => {
    const { traits, chart, chartDigest, values, tenant } = input;
    if (traits.crds === 'none') return { crds: [] };
    const isOwn = traits.crds === 'own';
    const given = isOwn
      ? { valuesText: '', kubeVersion: '' }
      : { valuesText: printJsonForYaml(values), kubeVersion: await input.kubeVersion() };
    const key = createHash('sha256')
      .update(JSON.stringify({ chartDigest, ...given }))
      .digest('hex');
    const known = cache.get(key);
    if (known !== undefined) return known.result;
    const texts = await textsOf(input, given, deps);
    if ('problem' in texts) return texts;
    const result = await readCrdsAside(deps.offload, texts, { chart: chart.metadata.name, tenant });
    if ('crds' in result) cache.set(key, { result, size: keptBytes(printJson(result)) });
    return result;
  };
}
