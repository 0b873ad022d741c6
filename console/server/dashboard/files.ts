import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { TerminalError } from '#lib/errors.js';

/** A file of the dashboard, as it is sent. */
export interface DashboardFile {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
}

export interface DashboardFiles {
  /** The page that all paths of the dashboard answer. */
  readonly page: DashboardFile;
  /** By name. Names have a digest of the contents, so that they may be cached for ever. */
  readonly assets: ReadonlyMap<string, DashboardFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where `npm run build` puts them. */
const FOLDER = path.join(PACKAGE_ROOT, 'dist/console/web');

async function read(file: string): Promise<DashboardFile> {
  const body = await readFile(file);
  return { type: TYPES[path.extname(file)] ?? 'application/octet-stream', body, gzipped: await promisify(gzip)(body) };
}

async function readFolder(folder: string): Promise<DashboardFiles> {
  const names = await readdir(path.join(folder, 'assets'));
  const assets = names.map(async (name) => [name, await read(path.join(folder, 'assets', name))] as const);
  return { page: await read(path.join(folder, 'index.html')), assets: new Map(await Promise.all(assets)) };
}

/** They are few, so that they stay in memory: no path of a request ever becomes one of the file system. */
export async function readDashboard(folder = FOLDER): Promise<DashboardFiles> {
  try {
    return await readFolder(folder);
  } catch (cause: unknown) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new TerminalError('DashboardMissing', `the dashboard is not built: ${text}: run \`npm run build\``, {
      cause,
    });
  }
}
