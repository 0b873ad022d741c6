import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzipSync, type InputType, type ZlibOptions } from 'node:zlib';
import { Header, list, type ReadEntry } from 'tar';
import { CHART_LIMITS, isCompressed, PLAIN_TAR } from '#engine/artifact/archive.js';
import type { Offload, Task } from '#runtime/isolation/offload.js';
import { OverrunError } from '#runtime/isolation/offload.js';
import { TerminalError } from '#lib/errors.js';
import { parseJson, printJson } from '#lib/json/lossless-json.js';
import { keptBytes } from '#lib/json/nesting.js';
import { isMap } from '#lib/plain.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { chartTexts, readChartMetadata } from './model/chart-metadata.js';
import { chartTraits, type ChartText, type ChartTraits } from './model/chart-traits.js';
import { withoutTemplates } from './model/crds.js';
import type { AddedTemplate } from './model/preamble.js';
import type { ChartFile, ChartMetadata, ChartRecord } from './model/release.js';

const { maxFiles: MAX_FILES, maxBytes: MAX_BYTES } = CHART_LIMITS;
const MAX_NESTING = 5;
const PACKED_SUBCHART = /^(?:charts\/[^/]+\/)*charts\/[^/]+\.tgz$/;
/** Helm skips the others. */
const SUBCHART_FOLDER = /^(?:charts\/[^/_.][^/]*\/)+/;
const TAR_BLOCK = 512;

const unzip = promisify<InputType, ZlibOptions, Buffer>(gunzip);

type Files = ReadonlyMap<string, Buffer>;

/** The remaining budget for a chart and its subcharts. */
interface Budget {
  files: number;
  bytes: number;
}

/** `shown` names the archive in messages. */
function refuse(shown: string, problem: string, cause?: unknown): TerminalError {
  return new TerminalError('ArtifactFailed', `chart archive ${shown} ${problem}`, { cause });
}

/** Stops when the budget is spent, whatever the archive unpacks to. */
async function unzipped(shown: string, archive: Buffer, budget: Budget): Promise<Buffer> {
  try {
    return await unzip(archive, { maxOutputLength: Math.max(budget.bytes, 1) });
  } catch (error: unknown) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw isTooLarge ? tooLarge(shown) : refuse(shown, 'is not a readable tar.gz', error);
  }
}

function tooLarge(shown: string): TerminalError {
  return refuse(shown, `contains more than ${MAX_BYTES} bytes, with all packed charts`);
}

/** Reads every regular file below the archive's one top folder; names are relative to it. */
async function readFiles(shown: string, archive: Buffer, budget: Budget): Promise<Files> {
  const tar = await unzipped(shown, archive, budget);
  budget.bytes -= tar.length;
  if (isCompressed(tar)) throw refuse(shown, 'is compressed twice');
  const files = new Map<string, Buffer>();
  let problem: string | undefined;
  const onReadEntry = (entry: ReadEntry): void => {
    const name = entry.path.split('/').slice(1).join('/');
    if (entry.type !== 'File' || name === '') return;
    budget.files -= 1;
    if (budget.files < 0) problem ??= `contains more than ${MAX_FILES} files, with all packed charts`;
    if (problem !== undefined) return;
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    entry.on('end', () => files.set(name, Buffer.concat(chunks)));
  };
  try {
    const parser = list({ ...PLAIN_TAR, strict: true, onReadEntry });
    const ended = once(parser, 'end');
    parser.end(tar);
    await ended;
  } catch (error: unknown) {
    throw refuse(shown, 'is not a readable tar.gz', error);
  }
  if (problem !== undefined) throw refuse(shown, problem);
  return files;
}

function yamlMap(files: Files, name: string, shown: string): Record<string, unknown> | undefined {
  const file = files.get(name);
  if (file === undefined) return undefined;
  try {
    const value = parseYaml(file.toString());
    return isMap(value) ? value : {};
  } catch (error: unknown) {
    throw refuse(shown, `has a ${name} that is not valid YAML`, error);
  }
}

/** `folder`: of a subchart, with a slash at the end. */
function metadataOf(files: Files, shown: string, folder = ''): ChartMetadata {
  const own = yamlMap(files, `${folder}Chart.yaml`, shown);
  if (own === undefined) throw refuse(shown, `has no ${folder}Chart.yaml: publish a Helm chart there`);
  const dependencies = yamlMap(files, `${folder}requirements.yaml`, shown) ?? {};
  const read = readChartMetadata([own, dependencies], folder === '' ? 'chart' : 'subchart');
  if ('metadata' in read) return read.metadata;
  throw refuse(shown, `has a ${folder}Chart.yaml that is invalid: ${read.problem}: correct it and publish it again`);
}

/** As Helm loads them, disabled ones too. */
function requireSubcharts(files: Files, shown: string): void {
  const folders = new Set([...files.keys()].flatMap((name) => SUBCHART_FOLDER.exec(name) ?? []));
  for (const folder of folders) metadataOf(files, shown, folder);
}

function named(files: Files, accept: (name: string) => boolean): ChartFile[] | null {
  const found = [...files].filter(([name]) => accept(name));
  return found.length === 0 ? null : found.map(([name, data]) => ({ name, data: data.toString('base64') }));
}

const OWN_PLACE: ReadonlySet<string> = new Set(['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json']);

function isOther(name: string): boolean {
  return !OWN_PLACE.has(name) && !name.startsWith('templates/') && !name.startsWith('charts/');
}

/** All files, including those of packed subcharts, at any depth. */
async function unpacked(files: Files, shown: string, budget: Budget, level = 0): Promise<Files> {
  const all = new Map<string, Buffer>();
  for (const [name, data] of files) {
    if (!PACKED_SUBCHART.test(name)) {
      all.set(name, data);
      continue;
    }
    if (level >= MAX_NESTING) throw refuse(shown, `nests more than ${MAX_NESTING} packed charts`);
    const inner = await unpacked(await readFiles(shown, data, budget), shown, budget, level + 1);
    for (const [file, content] of inner) all.set(`${name}/${file}`, content);
  }
  return all;
}

function* textsOf(files: Files): Generator<ChartText> {
  for (const [path, data] of files) yield { path, text: data.toString() };
}

/** A packaged chart: its record in Helm's storage, and what rendering it needs. */
export interface ChartArchive {
  /** Without subcharts, as Helm does. */
  readonly record: ChartRecord;
  readonly traits: ChartTraits;
}

/** Reads a packaged chart, which messages call `shown`. Throws TerminalError `ArtifactFailed`. */
export async function readChartArchive(path: string, shown = path): Promise<ChartArchive> {
  const budget: Budget = { files: MAX_FILES, bytes: MAX_BYTES };
  const files = await readFiles(shown, await readFile(path), budget);
  const lock = yamlMap(files, 'Chart.lock', shown);
  const metadata = metadataOf(files, shown);
  const all = await unpacked(files, shown, budget);
  requireSubcharts(all, shown);
  return {
    record: {
      metadata,
      lock: lock === undefined ? null : chartTexts(lock),
      templates: named(files, (name) => name.startsWith('templates/')),
      values: yamlMap(files, 'values.yaml', shown) ?? null,
      schema: files.get('values.schema.json')?.toString('base64') ?? null,
      files: named(files, isOther),
    },
    traits: chartTraits(metadata.name, textsOf(all)),
  };
}

type Answer = ChartArchive | { readonly problem: string };

/** A packaged chart, and its name in messages. */
interface ShownChart {
  readonly path: string;
  readonly shown: string;
}

/** @public Called by its name: takes a ShownChart. */
export const chartArchiveTask: Task = {
  module: import.meta.url,
  name: 'chartArchiveTask',
  deadlineMs: 20_000,
  run: async (input) => {
    const { path, shown } = JSON.parse(input) as ShownChart; // as readChartInWorker prints it
    try {
      return printJson(await readChartArchive(path, shown));
    } catch (error: unknown) {
      if (error instanceof TerminalError) return printJson({ problem: error.message });
      throw error;
    }
  },
};

/** A chart, and its size in memory. */
export interface KeptChart extends ChartArchive {
  readonly size: number;
}

/** readChartArchive in a worker thread. `tenant`: the owner of the chart. */
export async function readChartInWorker(
  offload: Pick<Offload, 'run'>,
  chart: ShownChart,
  tenant: string,
): Promise<KeptChart> {
  try {
    const text = await offload.run(chartArchiveTask, JSON.stringify(chart), tenant);
    const answer = parseJson(text) as Answer; // as the task printed it
    if ('problem' in answer) throw new TerminalError('ArtifactFailed', answer.problem);
    return { ...answer, size: keptBytes(text) };
  } catch (error: unknown) {
    if (error instanceof OverrunError) throw refuse(chart.shown, `${error.message} to read`, error);
    throw error;
  }
}

/** @public Called by its name: takes the path of a packaged chart, answers with one of it without templates. */
export const crdChartTask: Task = {
  module: import.meta.url,
  name: 'crdChartTask',
  deadlineMs: 20_000,
  run: async (path) => {
    const budget: Budget = { files: MAX_FILES, bytes: MAX_BYTES };
    const files = await unpacked(await readFiles(path, await readFile(path), budget), path, budget);
    return packChart(withoutTemplates(textsOf(files))).toString('base64');
  },
};

/** The packaged chart at `path`, which was read before, without templates. */
export async function packCrdChart(offload: Pick<Offload, 'run'>, path: string, tenant: string): Promise<Buffer> {
  try {
    return Buffer.from(await offload.run(crdChartTask, path, tenant), 'base64');
  } catch (error: unknown) {
    if (error instanceof OverrunError) throw refuse(path, `${error.message} to read`, error);
    throw error;
  }
}

function tarEntry({ path, text }: AddedTemplate): Buffer {
  const content = Buffer.from(text);
  const block = Buffer.alloc(TAR_BLOCK);
  new Header({ path: `chart/${path}`, type: 'File', mode: 0o600, size: content.length }).encode(block);
  return Buffer.concat([block, content, Buffer.alloc(-content.length & (TAR_BLOCK - 1))]);
}

/** A packaged chart of these files. */
function packChart(files: readonly AddedTemplate[]): Buffer {
  return gzipSync(Buffer.concat([...files.map(tarEntry), Buffer.alloc(2 * TAR_BLOCK)]), { level: 1 });
}

/**
 * A prefix that adds templates to a packaged chart: a tar.gz without an end marker, which the chart's own tar.gz
 * continues. The chart is neither unpacked nor changed.
 */
export function archivePrefix(added: readonly AddedTemplate[]): Buffer {
  return gzipSync(Buffer.concat(added.map(tarEntry)), { level: 1 });
}
