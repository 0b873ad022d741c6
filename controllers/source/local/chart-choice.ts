import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CHART_LIMITS } from '#engine/artifact/archive.js';
import { TerminalError } from '#lib/errors.js';
import { realFolder } from '../git/real-folder.js';
import { readChartFolder, chartYamlTask, packedChartYaml, type Aside } from '../helmchart/chart-folder.js';
import { findChart, type ChartEntry, type WantedChart } from '../model/choose-version.js';
import { pathWithin } from '../model/paths.js';

/** A chart of a folder of charts: a folder of its own, or an archive. */
export interface LocalChart {
  readonly path: string;
  readonly isArchive: boolean;
}

interface Described extends LocalChart {
  readonly name: string;
  readonly version: string;
}

/** Of all archives of one chart. */
const MAX_BYTES = 8 * CHART_LIMITS.maxBytes;

function refused(problem: string): TerminalError {
  return new TerminalError('InvalidChartReference', problem);
}

async function isChartFolder(folder: string): Promise<boolean> {
  return stat(path.join(folder, 'Chart.yaml')).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** What may be a version of a chart: folders and archives that begin with its name. Links are not followed. */
async function candidatesIn(root: string, chart: string): Promise<LocalChart[]> {
  const parts = pathWithin(chart);
  const base = parts.at(-1) ?? '';
  const folder = await realFolder(root, parts.slice(0, -1));
  if (folder === undefined) return [];
  const found: LocalChart[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const name = entry.name.replace(/\.tgz$/, '');
    if (name !== base && !name.startsWith(`${base}-`)) continue;
    const place = path.join(folder, entry.name);
    if (entry.isFile() && name !== entry.name) found.push({ path: place, isArchive: true });
    else if (entry.isDirectory() && (await isChartFolder(place))) found.push({ path: place, isArchive: false });
  }
  return found;
}

/** The one chart that is at a path itself; undefined if there is none. */
export async function chartAt(root: string): Promise<LocalChart | undefined> {
  if ((await stat(root)).isFile()) return { path: root, isArchive: true };
  return (await isChartFolder(root)) ? { path: root, isArchive: false } : undefined;
}

/** The charts at a path: the one that it is, or those of a folder of charts. */
async function chartsAt(root: string, chart: string): Promise<LocalChart[]> {
  const single = await chartAt(root);
  const found = single === undefined ? await candidatesIn(root, chart) : [single];
  if (found.length > 0) return found;
  throw refused(`${root} has neither a folder ${chart} nor ${chart}-VERSION.tgz`);
}

async function describedAll(aside: Aside, charts: readonly LocalChart[], signal: AbortSignal): Promise<Described[]> {
  const budget = { bytes: MAX_BYTES };
  const found: Described[] = [];
  for (const chart of charts) {
    if (!chart.isArchive) {
      found.push({ ...chart, ...(await readChartFolder(aside, chart.path, chart.path)) });
      continue;
    }
    const text = await packedChartYaml(chart.path, budget, signal);
    const fields =
      text === undefined ? { problem: 'cannot be read' } : await chartYamlTask.ask(aside.offload, text, aside.tenant);
    if ('problem' in fields) throw refused(`the Chart.yaml of ${chart.path} ${fields.problem}`);
    found.push({ ...chart, ...fields });
  }
  return found;
}

/**
 * The chart that is wanted, in its highest version that is allowed, as of a HelmRepository. Throws TerminalError
 * `InvalidChartReference`.
 */
export async function chooseChart(
  aside: Aside,
  root: string,
  { wanted, signal }: { readonly wanted: WantedChart; readonly signal: AbortSignal },
): Promise<LocalChart> {
  const charts = await describedAll(aside, await chartsAt(root, wanted.chart), signal);
  const index = new Map<string, ChartEntry[]>();
  // A chart of a registry may have more before its name.
  const last = path.posix.basename(wanted.chart);
  for (const { name, version, path: url } of charts) {
    const key = name === last ? wanted.chart : name;
    index.set(key, [...(index.get(key) ?? []), { version, urls: [url] }]);
  }
  const found = findChart(index, wanted);
  if ('problem' in found) throw refused(`${root}: ${found.problem}`);
  const chosen = charts.find((chart) => chart.path === found.entry.urls[0]);
  if (chosen === undefined) throw refused(`${root} has no ${wanted.chart}`);
  return chosen;
}
