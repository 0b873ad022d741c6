import { list, type ReadEntry } from 'tar';
import { TerminalError } from '../../runtime/pure/errors.js';
import { parseYaml } from '../../runtime/pure/yaml.js';
import { chartTexts } from './model/chart-metadata.js';
import { isMap } from './model/plain.js';
import type { ChartFile, ChartMetadata, ChartRecord } from './model/release.js';

/** Limits on a chart archive: far above real charts, far below what would hurt. */
const MAX_FILES = 10_000;
const MAX_BYTES = 100 * 1024 * 1024;

type Files = ReadonlyMap<string, Buffer>;

function refuse(path: string, problem: string, cause?: unknown): TerminalError {
  return new TerminalError('ArtifactFailed', `chart archive ${path} ${problem}`, { cause });
}

/** Reads every regular file below the archive's one top folder; names are relative to it. */
async function readFiles(path: string): Promise<Files> {
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
    await list({ file: path, strict: true, onReadEntry });
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

/**
 * A packaged chart as Helm records it in a release (subcharts are left out, as Helm does).
 * Throws TerminalError `ArtifactFailed`.
 */
export async function readChartArchive(path: string): Promise<ChartRecord> {
  const files = await readFiles(path);
  const lock = yamlMap(files, 'Chart.lock', path);
  return {
    metadata: metadataOf(files, path),
    lock: lock === undefined ? null : chartTexts(lock),
    templates: named(files, (name) => name.startsWith('templates/')),
    values: yamlMap(files, 'values.yaml', path) ?? null,
    schema: files.get('values.schema.json')?.toString('base64') ?? null,
    files: named(files, isOther),
  };
}
