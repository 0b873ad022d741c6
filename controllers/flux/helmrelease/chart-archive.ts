import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { Header, list, type ReadEntry } from 'tar';
import { TerminalError } from '../../runtime/pure/errors.js';
import { isMap } from '../../runtime/pure/plain.js';
import { parseYaml } from '../../runtime/pure/yaml.js';
import { chartTexts } from './model/chart-metadata.js';
import { chartTraits, type ChartText, type ChartTraits } from './model/chart-traits.js';
import type { AddedTemplate } from './model/preamble.js';
import type { ChartFile, ChartMetadata, ChartRecord } from './model/release.js';

/** Limits on a chart archive: far above real charts, far below what would hurt. */
const MAX_FILES = 10_000;
const MAX_BYTES = 100 * 1024 * 1024;
const MAX_NESTING = 5;
const PACKED_SUBCHART = /^charts\/[^/]+\.tgz$/;
const TAR_BLOCK = 512;

type Files = ReadonlyMap<string, Buffer>;

function refuse(path: string, problem: string, cause?: unknown): TerminalError {
  return new TerminalError('ArtifactFailed', `chart archive ${path} ${problem}`, { cause });
}

/** Reads every regular file below the archive's one top folder; names are relative to it. */
async function readFiles(path: string, archive: Buffer): Promise<Files> {
  const files = new Map<string, Buffer>();
  let bytes = 0;
  let refused: string | undefined;
  const onReadEntry = (entry: ReadEntry): void => {
    const name = entry.path.split('/').slice(1).join('/');
    if (entry.type !== 'File' || name === '' || refused !== undefined) return;
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) refused = `holds more than ${MAX_BYTES} bytes`;
      else chunks.push(chunk);
    });
    entry.on('end', () => files.set(name, Buffer.concat(chunks)));
    if (files.size >= MAX_FILES) refused = `holds more than ${MAX_FILES} files`;
  };
  try {
    const parser = list({ strict: true, onReadEntry });
    const ended = once(parser, 'end');
    parser.end(archive);
    await ended;
  } catch (error: unknown) {
    throw refuse(path, 'is not a readable tar.gz', error);
  }
  if (refused !== undefined) throw refuse(path, refused);
  return files;
}

function yamlMap(files: Files, name: string, path: string): Record<string, unknown> | undefined {
  const file = files.get(name);
  if (file === undefined) return undefined;
  try {
    const value = parseYaml(file.toString());
    return isMap(value) ? value : {};
  } catch (error: unknown) {
    throw refuse(path, `has a ${name} that is not valid YAML`, error);
  }
}

function metadataOf(files: Files, path: string): ChartMetadata {
  const metadata = chartTexts(yamlMap(files, 'Chart.yaml', path) ?? {});
  const name = metadata['name'];
  const version = metadata['version'];
  if (typeof name !== 'string' || typeof version !== 'string') {
    throw refuse(path, 'has no Chart.yaml with a name and a version');
  }
  return { apiVersion: 'v1', ...metadata, name, version };
}

function named(files: Files, accept: (name: string) => boolean): ChartFile[] | null {
  const found = [...files].filter(([name]) => accept(name));
  return found.length === 0 ? null : found.map(([name, data]) => ({ name, data: data.toString('base64') }));
}

const OWN_PLACE: ReadonlySet<string> = new Set(['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json']);

function isOther(name: string): boolean {
  return !OWN_PLACE.has(name) && !name.startsWith('templates/') && !name.startsWith('charts/');
}

/** The files as texts; a subchart that is packed within is opened, and the ones in it. */
async function textsOf(files: Files, path: string, level = 0): Promise<ChartText[]> {
  const texts: ChartText[] = [];
  for (const [name, data] of files) {
    if (!PACKED_SUBCHART.test(name)) {
      texts.push({ path: name, text: data.toString() });
      continue;
    }
    if (level >= MAX_NESTING) throw refuse(path, `nests more than ${MAX_NESTING} packed charts`);
    const inner = await textsOf(await readFiles(`${path}/${name}`, data), path, level + 1);
    texts.push(...inner.map((file) => ({ ...file, path: `${name}/${file.path}` })));
  }
  return texts;
}

/** A packaged chart: what Helm records of it, and what it asks of its rendering. */
export interface ChartArchive {
  /** Without subcharts, as Helm does. */
  readonly record: ChartRecord;
  readonly traits: ChartTraits;
}

/** Reads the packaged chart at `path`. Throws TerminalError `ArtifactFailed`. */
export async function readChartArchive(path: string): Promise<ChartArchive> {
  const files = await readFiles(path, await readFile(path));
  const lock = yamlMap(files, 'Chart.lock', path);
  const metadata = metadataOf(files, path);
  return {
    record: {
      metadata,
      lock: lock === undefined ? null : chartTexts(lock),
      templates: named(files, (name) => name.startsWith('templates/')),
      values: yamlMap(files, 'values.yaml', path) ?? null,
      schema: files.get('values.schema.json')?.toString('base64') ?? null,
      files: named(files, isOther),
    },
    traits: chartTraits(metadata.name, await textsOf(files, path)),
  };
}

function tarEntry({ path, text }: AddedTemplate): Buffer {
  const content = Buffer.from(text);
  const block = Buffer.alloc(TAR_BLOCK);
  new Header({ path: `chart/${path}`, type: 'File', mode: 0o600, size: content.length }).encode(block);
  return Buffer.concat([block, content, Buffer.alloc(-content.length & (TAR_BLOCK - 1))]);
}

/**
 * What to put in front of a packaged chart to add templates to it: a tar.gz without an end, which the tar.gz after it
 * goes on from. The chart itself is neither unpacked nor changed.
 */
export function archivePrefix(added: readonly AddedTemplate[]): Buffer {
  return gzipSync(Buffer.concat(added.map(tarEntry)), { level: 1 });
}
