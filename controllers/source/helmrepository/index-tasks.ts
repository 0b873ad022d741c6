import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { answerOf, type Offload, type Task } from '#runtime/isolation/offload.js';
import { TransientError } from '#lib/errors.js';
import { parseJson, canonicalJson } from '#lib/json/lossless-json.js';
import { readYaml } from '#lib/yaml/yaml.js';
import { findChart, type ChartIndex, type Found, type WantedChart } from '../model/choose-version.js';
import { canonicalIndex, chartIndex } from './model/kept-index.js';
import { jsonTask } from '#engine/flux/json-task.js';

/** Files, for an index may have 50 MB: the text as it was fetched, and where to write what is kept of it. */
interface IndexFiles {
  /** Of the text: its files have other names each time. */
  readonly digest: string;
  readonly from: string;
  readonly to: string;
}

/** The sha256 of what is kept of an index, in hex, or why it is none. */
type IndexAnswer = { readonly hex: string } | { readonly problem: string };

const DEADLINE_MS = 60_000;

/** The index in a form that is the same whenever it says the same. */
function canonicalText(text: string): { readonly index: string } | { readonly problem: string } {
  const read = readYaml(text);
  if ('problem' in read) return read;
  const index = canonicalIndex(read.value);
  if (index !== undefined) return { index: canonicalJson(index) };
  return { problem: 'is not a Helm repository index (apiVersion and entries are missing): check spec.url' };
}

async function keepIndex({ from, to }: IndexFiles): Promise<IndexAnswer> {
  const read = canonicalText(await readFile(from, 'utf8'));
  if ('problem' in read) return read;
  await writeFile(to, read.index);
  return { hex: createHash('sha256').update(read.index).digest('hex') };
}

/** @public Called by its name: takes IndexFiles. */
export const keepIndexTask: Task = {
  module: import.meta.url,
  name: 'keepIndexTask',
  deadlineMs: DEADLINE_MS,
  run: async (input) => JSON.stringify(await keepIndex(JSON.parse(input) as IndexFiles)), // as keepIndexAside prints it
};

interface ChartQuery extends WantedChart {
  /** An index that was kept; its name holds the digest of its content. */
  readonly file: string;
}

/** What this thread read last: many charts ask for the same index at the same time. */
let last: { readonly file: string; readonly charts: ChartIndex } | undefined;

async function chartsIn(file: string): Promise<ChartIndex> {
  if (last?.file === file) return last.charts;
  const index = canonicalIndex(parseJson(await readFile(file, 'utf8')));
  last = { file, charts: chartIndex(index?.entries ?? {}) };
  return last.charts;
}

/** Makes of the text of an index what is kept of it, in another thread; `tenant` is whose it is. */
export async function keepIndexAside(
  offload: Pick<Offload, 'run'>,
  files: IndexFiles,
  tenant: string,
): Promise<IndexAnswer> {
  const output = offload.run({ ...keepIndexTask, key: files.digest }, JSON.stringify(files), tenant);
  return answerOf<IndexAnswer>(output, ({ message }) => ({ problem: `${message} to read` }));
}

/**
 * @public Called by its name. The entry that a query asks for: an index may have 100,000 versions. Throws TransientError
 * `ChartPullError` when that takes too long.
 */
export const findChartTask = jsonTask<ChartQuery, Found>(
  { module: import.meta.url, name: 'findChartTask', deadlineMs: DEADLINE_MS },
  async ({ file, ...wanted }) => findChart(await chartsIn(file), wanted),
  (cause) => {
    const message = `the index of the repository ${cause.message} to read`;
    throw new TransientError(message, { reason: 'ChartPullError', cause });
  },
);
