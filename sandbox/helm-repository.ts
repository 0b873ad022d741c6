import { createReadStream } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runCommand } from './command.js';
import { startHttpServer, type HttpServer } from './world/ports.js';

/** Where the charts are, below the server's origin. */
const CHARTS_PATH = '/charts/';
const SERVED = /^[\w.+-]+\.(tgz|yaml)$/;

/** Environment in which helm touches nothing outside `home`. */
export function helmEnvironment(home: string): Record<string, string> {
  const folder = (name: string): string => path.join(home, 'helm', name);
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    HELM_CACHE_HOME: folder('cache'),
    HELM_CONFIG_HOME: folder('config'),
    HELM_DATA_HOME: folder('data'),
  };
}

async function chartFolders(parent: string): Promise<string[]> {
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(parent, entry.name))
    .sort();
}

/** Packages every chart below `charts` into `root` with the real helm and indexes them. Returns the archives. */
export async function packageCharts(options: {
  helm: string;
  charts: string;
  root: string;
  home: string;
}): Promise<string[]> {
  const { helm, charts, root, home } = options;
  const env = helmEnvironment(home);
  await mkdir(root, { recursive: true });
  const folders = await chartFolders(charts);
  if (folders.length > 0) await runCommand(helm, ['package', '--destination', root, ...folders], { env });
  await runCommand(helm, ['repo', 'index', root], { env });
  const files = await readdir(root);
  return files.filter((file) => file.endsWith('.tgz')).map((file) => path.join(root, file));
}

async function serveFile(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const name = pathname.startsWith(CHARTS_PATH) ? decodeURIComponent(pathname.slice(CHARTS_PATH.length)) : '';
  const file = SERVED.test(name) ? path.join(root, name) : undefined;
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
  if (file === undefined || found?.isFile() !== true) {
    response.writeHead(404).end('not found\n');
    return;
  }
  const type = name.endsWith('.yaml') ? 'application/yaml' : 'application/gzip';
  response.writeHead(200, { 'content-type': type, 'content-length': found.size });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(file), response);
}

/** Serves the archives and index.yaml in `root` at `/charts`; files that come later are seen at once. */
export async function startHelmRepository(root: string): Promise<HttpServer> {
  return startHttpServer((request, response) => {
    serveFile(root, request, response).catch(() => response.destroy());
  });
}
