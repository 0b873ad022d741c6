import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { list, type ReadEntry } from 'tar';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isCompressed, PLAIN_TAR, CHART_LIMITS, unpack } from '#engine/artifact/archive.js';
import { machineProblem } from '#engine/artifact/disk-error.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { TerminalError } from '#lib/errors.js';
import { isMap, mergeMaps } from '#lib/plain.js';
import { printYaml, readYaml } from '#lib/yaml/yaml.js';
import type { HelmChart } from '../model/source.js';
import { pathWithin } from '../model/paths.js';
import { jsonTask } from '#engine/flux/json-task.js';

const CHART_YAML = /^[^/]+\/Chart\.yaml$/;

/** The budget that several archives share. */
export interface ArchiveBudget {
  /** Left of the bytes after decompression; negative once there were too many. */
  bytes: number;
}

/**
 * The Chart.yaml of a packaged chart, of which nothing else is kept; undefined when it cannot be read, or when `budget`
 * is spent. Throws when the signal is aborted, and what the disk throws.
 */
export async function packedChartYaml(
  file: string,
  budget: ArchiveBudget,
  signal: AbortSignal,
): Promise<string | undefined> {
  let chunks: Buffer[] | undefined;
  const onReadEntry = (entry: ReadEntry): void => {
    if (!CHART_YAML.test(entry.path)) return;
    const own: Buffer[] = [];
    chunks = own;
    entry.on('data', (chunk: Buffer) => own.push(chunk));
  };
  const parser = list({ ...PLAIN_TAR, strict: true, onReadEntry });
  let failure: Error | undefined;
  parser.on('error', (error: Error) => (failure ??= error));
  const feed = async (source: AsyncIterable<Buffer>): Promise<void> => {
    let isFirst = true;
    for await (const chunk of source) {
      budget.bytes -= chunk.length;
      if (budget.bytes < 0) throw new Error('too many bytes');
      if (isFirst && isCompressed(chunk)) throw new Error('compressed twice');
      isFirst = false;
      parser.write(chunk);
      if (failure !== undefined) throw failure;
    }
    parser.end();
  };
  try {
    await pipeline(createReadStream(file), createGunzip(), feed, { signal });
  } catch (error: unknown) {
    signal.throwIfAborted();
    if (machineProblem(error) !== undefined) throw error;
    return undefined;
  }
  return failure === undefined && chunks !== undefined ? Buffer.concat(chunks).toString() : undefined;
}

/** A chart as files on the disk. */
export interface ChartFolder {
  /** Absolute; holds Chart.yaml. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
}

/** Where YAML is read. */
export interface Aside {
  readonly offload: Pick<Offload, 'run'>;
  /** Whose chart it is. */
  readonly tenant: string;
}

interface Problem {
  readonly problem: string;
}

interface ValuesFile {
  readonly name: string;
  readonly text: string;
}

const VALUES = 'values.yaml';
/** Far above real charts; a longer file is not even read. */
export const MAX_CHART_YAML = 1024 * 1024;
/** Of all values files together. */
const MAX_VALUES = 4 * 1024 * 1024;
/** What comes of them, with all aliases written out. */
const MAX_MERGED = 8 * 1024 * 1024;
const DEADLINE_MS = 10_000;

/** Undefined when there is none; what is longer than `maxBytes` is not read. */
export async function readOptional(file: string, maxBytes: number): Promise<{ text: string } | 'too long' | undefined> {
  try {
    if ((await stat(file)).size > maxBytes) return 'too long';
    return { text: await readFile(file, 'utf8') };
  } catch (error: unknown) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw error;
  }
}

function readMap(text: string): { readonly map: Record<string, unknown> } | Problem {
  const read = readYaml(text);
  if ('problem' in read) return read;
  const { value } = read;
  if (value === null) return { map: {} };
  return isMap(value) ? { map: value } : { problem: 'is not a map' };
}

/** A text field as Helm reads it: `version: 2` is text, too. Empty when there is none. */
function scalarText(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : '';
}

function readFields(text: string): Pick<ChartFolder, 'name' | 'version'> | Problem {
  const read = readMap(text);
  if ('problem' in read) return read;
  const [name, version] = [scalarText(read.map['name']), scalarText(read.map['version'])];
  return name === '' || version === '' ? { problem: 'lacks name or version' } : { name, version };
}

/** @public Called by its name. The name and the version in the text of a Chart.yaml. */
export const chartYamlTask = jsonTask(
  { module: import.meta.url, name: 'chartYamlTask', deadlineMs: DEADLINE_MS },
  readFields,
  ({ message }) => ({ problem: `${message} to read` }),
);

/** The chart in `folder`. `shown` names it in messages. Throws TerminalError `InvalidChartReference`. */
export async function readChartFolder(aside: Aside, folder: string, shown: string): Promise<ChartFolder> {
  const refuse = (message: string): TerminalError => new TerminalError('InvalidChartReference', message);
  const file = await readOptional(path.join(folder, 'Chart.yaml'), MAX_CHART_YAML);
  if (file === undefined) throw refuse(`${shown} has no Chart.yaml: correct spec.chart`);
  const subject = `Chart.yaml of ${shown}`;
  if (file === 'too long') throw refuse(`${subject} has more than ${MAX_CHART_YAML} bytes: shorten it`);
  const read = await chartYamlTask.ask(aside.offload, file.text, aside.tenant);
  if ('problem' in read) throw refuse(`${subject} ${read.problem}`);
  return { path: folder, ...read };
}

/** The chart in an archive, unpacked into `folder`. Throws TerminalError as readChartFolder does, and as unpack. */
export async function unpackChart(
  aside: Aside,
  { file, folder }: { readonly file: string; readonly folder: string },
  shown: string,
): Promise<ChartFolder> {
  await unpack(file, folder, CHART_LIMITS);
  const folders = (await readdir(folder, { withFileTypes: true })).filter((each) => each.isDirectory());
  return readChartFolder(aside, path.join(folder, folders[0]?.name ?? ''), shown);
}

function printed(values: Record<string, unknown>): { readonly yaml: string } | Problem {
  try {
    const yaml = printYaml(values);
    if (yaml.length <= MAX_MERGED) return { yaml };
    return { problem: `the merged values have more than ${MAX_MERGED} characters` };
  } catch (error: unknown) {
    // The library's patterns run out of stack on a line of some megabytes.
    if (!(error instanceof RangeError)) throw error;
    return { problem: 'the merged values hold a text that is too long to be written as YAML: shorten it' };
  }
}

function merged(files: readonly ValuesFile[]): ReturnType<typeof printed> {
  let values: Record<string, unknown> = {};
  for (const { name, text } of files) {
    const read = readMap(text);
    if ('problem' in read) return { problem: `values file '${name}' ${read.problem}` };
    values = mergeMaps(values, read.map);
  }
  return printed(values);
}

/** @public Called by its name. */
export const mergeValuesTask = jsonTask(
  { module: import.meta.url, name: 'mergeValuesTask', deadlineMs: DEADLINE_MS },
  merged,
  ({ message }) => ({ problem: `merging the values files ${message}` }),
);

function refuseValues(message: string): TerminalError {
  return new TerminalError('ValuesFilesError', message);
}

function tooLong(name: string, others: number): TerminalError {
  return refuseValues(
    others === 0
      ? `values file '${name}' has more than ${MAX_VALUES} bytes: shorten it`
      : `the values files up to '${name}' have more than ${MAX_VALUES} bytes together: name fewer or shorter ones in spec.valuesFiles`,
  );
}

type ValuesSpec = Pick<HelmChart['spec'], 'valuesFiles' | 'ignoreMissingValuesFiles'>;

async function readValuesFiles(spec: ValuesSpec, root: string): Promise<ValuesFile[]> {
  const files: ValuesFile[] = [];
  let left = MAX_VALUES;
  for (const name of spec.valuesFiles ?? []) {
    const file = await readOptional(path.join(root, ...pathWithin(name)), left);
    if (file === 'too long') throw tooLong(name, files.length);
    if (file !== undefined) {
      left -= Buffer.byteLength(file.text);
      files.push({ name, text: file.text });
    } else if (spec.ignoreMissingValuesFiles !== true) {
      throw refuseValues(
        `values file '${name}' named by spec.valuesFiles does not exist in the source: correct the path, or set spec.ignoreMissingValuesFiles`,
      );
    }
  }
  return files;
}

/**
 * Puts the merged `spec.valuesFiles` in the place of the chart's values.yaml and returns those that were merged; none:
 * nothing happens. `root` is what the paths are relative to. Throws TerminalError `ValuesFilesError`.
 */
export async function mergeValuesFiles(
  aside: Aside,
  spec: ValuesSpec,
  { root, chart }: { readonly root: string; readonly chart: ChartFolder },
): Promise<string[]> {
  const files = await readValuesFiles(spec, root);
  if (files.length === 0) return [];
  const answer = await mergeValuesTask.ask(aside.offload, files, aside.tenant);
  if ('problem' in answer) throw refuseValues(answer.problem);
  await writeFile(path.join(chart.path, VALUES), answer.yaml);
  return files.map(({ name }) => name);
}
