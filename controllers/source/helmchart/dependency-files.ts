import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { CHART_LIMITS } from '#engine/artifact/archive.js';
import { TerminalError } from '#lib/errors.js';
import { readYaml } from '#lib/yaml/yaml.js';
import { dependenciesOf, missingDependencies, type Dependency, type Problem } from './model/dependencies.js';
import {
  MAX_CHART_YAML,
  readChartFolder,
  chartYamlTask,
  readOptional,
  packedChartYaml,
  type Aside,
  type ChartFolder,
  type ArchiveBudget,
} from './chart-folder.js';
import { jsonTask } from '#engine/flux/json-task.js';

/** The texts of the files that name dependencies. */
interface Texts {
  readonly chart: string;
  readonly requirements?: string | undefined;
  readonly lock?: string | undefined;
}

/** The first that exists counts. */
const LOCKS = ['requirements.lock', 'Chart.lock'];
const MAX_PRESENT = 200;
/** Of all archives in charts/ together, unpacked. */
const MAX_BYTES = CHART_LIMITS.maxBytes;

function parsed(name: string, text: string | undefined): { readonly value: unknown } | Problem {
  if (text === undefined) return { value: undefined };
  const read = readYaml(text);
  return 'problem' in read ? { problem: `${name} ${read.problem}` } : read;
}

function dependenciesIn({ chart, requirements, lock }: Texts): readonly Dependency[] | Problem {
  const read = {
    chart: parsed('Chart.yaml', chart),
    requirements: parsed('requirements.yaml', requirements),
    lock: parsed('the lock', lock),
  };
  for (const each of Object.values(read)) if ('problem' in each) return each;
  const valueOf = (each: { readonly value: unknown } | Problem): unknown => ('value' in each ? each.value : undefined);
  return dependenciesOf({
    chart: valueOf(read.chart),
    requirements: valueOf(read.requirements),
    lock: valueOf(read.lock),
  });
}

/** @public Called by its name. */
export const dependenciesTask = jsonTask(
  { module: import.meta.url, name: 'dependenciesTask', deadlineMs: 10_000 },
  dependenciesIn,
  ({ message }) => ({ problem: `has dependencies that ${message} to read` }),
);

function refused(chart: ChartFolder, problem: string): TerminalError {
  return new TerminalError('DependencyBuildError', `chart '${chart.name}' ${problem}`);
}

async function textOf(chart: ChartFolder, name: string): Promise<string | undefined> {
  const found = await readOptional(path.join(chart.path, name), MAX_CHART_YAML);
  if (found !== 'too long') return found?.text;
  throw refused(chart, `has a ${name} with more than ${MAX_CHART_YAML} bytes: shorten it`);
}

async function wantedIn(aside: Aside, chart: ChartFolder): Promise<readonly Dependency[]> {
  const [requirements, ...locks] = await Promise.all(
    ['requirements.yaml', ...LOCKS].map((name) => textOf(chart, name)),
  );
  const texts: Texts = {
    chart: (await textOf(chart, 'Chart.yaml')) ?? '',
    requirements,
    lock: locks.find((text) => text !== undefined),
  };
  const found = await dependenciesTask.ask(aside.offload, texts, aside.tenant);
  if ('problem' in found) throw refused(chart, found.problem);
  return found;
}

/** The name of a chart in charts/; undefined for what is none, of which helm speaks as it packages. */
async function nameInFolder(aside: Aside, folder: string): Promise<string | undefined> {
  try {
    return (await readChartFolder(aside, folder, folder)).name;
  } catch (error: unknown) {
    if (error instanceof TerminalError) return undefined;
    throw error;
  }
}

async function nameInArchive(aside: Aside, text: string | undefined): Promise<string | undefined> {
  if (text === undefined || text.length > MAX_CHART_YAML) return undefined;
  const read = await chartYamlTask.ask(aside.offload, text, aside.tenant);
  return 'problem' in read ? undefined : read.name;
}

async function presentIn(aside: Aside, chart: ChartFolder, signal: AbortSignal): Promise<Set<string>> {
  const charts = path.join(chart.path, 'charts');
  const entries = await readdir(charts, { withFileTypes: true }).catch(() => []);
  if (entries.length > MAX_PRESENT) throw refused(chart, `has more than ${MAX_PRESENT} files in charts/`);
  const names = new Set<string>();
  const budget: ArchiveBudget = { bytes: MAX_BYTES };
  for (const entry of entries) {
    signal.throwIfAborted();
    const [isFolder, file] = [entry.isDirectory(), path.join(charts, entry.name)];
    if (/^[._]/.test(entry.name) || !(isFolder || (entry.isFile() && entry.name.endsWith('.tgz')))) continue;
    const name = isFolder
      ? await nameInFolder(aside, file)
      : await nameInArchive(aside, await packedChartYaml(file, budget, signal));
    if (budget.bytes < 0) throw refused(chart, `has archives in charts/ with more than ${MAX_BYTES} bytes unpacked`);
    if (name !== undefined) names.add(name);
  }
  return names;
}

/**
 * What a chart depends on and does not hold. Throws TerminalError `DependencyBuildError`: all of it is in the files of
 * the source.
 */
export async function missingIn(aside: Aside, chart: ChartFolder, signal: AbortSignal): Promise<readonly Dependency[]> {
  const wanted = await wantedIn(aside, chart);
  if (wanted.length === 0) return [];
  const missing = missingDependencies(wanted, await presentIn(aside, chart, signal));
  if ('problem' in missing) throw refused(chart, `cannot be packaged: ${missing.problem}`);
  return missing;
}
