import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../../sandbox/package-root.js';
import { TOOLS, type ToolName } from '../../sandbox/tools/table.js';
import { nameOfRun } from './engine.js';
import { importImage, programs, which, type Content } from './images.js';

const execute = promisify(execFile);

/** Programs that the Dockerfile builds by itself. */
const BUILT: readonly ToolName[] = ['helm', 'kustomize'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const NPM = '/usr/lib/node_modules/npm';
const GO = '/usr/local/go';
const GO_CACHE = '/go-cache';
/** Hex digits of an action that its build id tells: 15 of the 32 bytes. */
const ACTION_DIGITS = 30;

async function lineOf(program: string, ...args: string[]): Promise<string> {
  return (await execute(program, args, { cwd: PACKAGE_ROOT })).stdout.trim();
}

async function certificates(): Promise<[string, Content][]> {
  const file = process.env['NODE_EXTRA_CA_CERTS'] ?? CERTIFICATES;
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? [] : [[CERTIFICATES, { from: file }]];
}

async function gitPrograms(): Promise<Record<string, string>> {
  const folder = await lineOf('git', '--exec-path');
  // Over HTTP it runs these; whatever else is needed is git itself.
  const remotes = ['git-remote-http', 'git-remote-https'].map((name) => path.join(folder, name));
  return { '/usr/bin/git': await which('git'), ...Object.fromEntries(remotes.map((file) => [file, file])) };
}

/** This machine's Node, npm and git, FROM scratch: what the Dockerfile asks of NODE_IMAGE and BASE_IMAGE. */
async function makeNodeImage(): Promise<string> {
  const files = await programs({
    '/bin/sh': await which('sh'),
    '/usr/bin/env': await which('env'),
    '/usr/bin/node': process.execPath,
    ...(await gitPrograms()),
  });
  files.set(NPM, { from: path.dirname(path.dirname(await which('npm'))) });
  files.set('/usr/bin/npm', { script: `#!/bin/sh\nexec node ${NPM}/bin/npm-cli.js "$@"\n` });
  for (const [target, content] of await certificates()) files.set(target, content);
  const name = nameOfRun('node');
  await importImage(name, files, [
    'ENV PATH=/usr/local/bin:/usr/bin:/bin',
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    `ENV npm_config_registry=${await lineOf('npm', 'config', 'get', 'registry')}`,
  ]);
  return name;
}

/** The names of the compiler's cache entries for one tool; compiles what is not there yet. */
async function cachedActions(tool: ToolName): Promise<string[]> {
  const args = ['list', '-export', '-deps', '-trimpath', '-f', '{{.BuildID}}', TOOLS[tool].package];
  const cwd = path.join(PACKAGE_ROOT, 'tools', TOOLS[tool].module);
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { stdout } = await execute('go', args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  const ids = stdout.split('\n').filter((line) => line !== '');
  return ids.map((id) =>
    Buffer.from(id.split('/')[0] ?? '', 'base64url')
      .toString('hex')
      .slice(0, ACTION_DIGITS),
  );
}

/**
 * What the compiler of this machine already knows of the tools, so that a build in a container need not begin from
 * nothing. Entries are found by content: a wrong one is never used.
 */
async function compilerCache(): Promise<[string, Content][]> {
  const folder = await lineOf('go', 'env', 'GOCACHE');
  const wanted = new Set((await Promise.all(BUILT.map(cachedActions))).flat());
  const found: [string, Content][] = [];
  for (const shard of new Set([...wanted].map((action) => action.slice(0, 2)))) {
    const entries = await readdir(path.join(folder, shard));
    const actions = entries.filter((entry) => entry.endsWith('-a') && wanted.has(entry.slice(0, ACTION_DIGITS)));
    for (const entry of actions) found.push(...(await cacheEntry(folder, path.join(shard, entry))));
  }
  return found;
}

/** An action, and the output that it names: `v1 ACTION OUTPUT SIZE TIME`. */
async function cacheEntry(folder: string, action: string): Promise<[string, Content][]> {
  const output = (await readFile(path.join(folder, action), 'utf8')).split(' ')[2] ?? '';
  const files = [action, path.join(output.slice(0, 2), `${output}-d`)];
  return files.map((file) => [`${GO_CACHE}/${file}`, { from: path.join(folder, file) }]);
}

/** This machine's Go, FROM scratch: what the Dockerfile asks of GO_IMAGE. */
async function makeGoImage(): Promise<string> {
  const files = await programs({ '/bin/sh': await which('sh') });
  files.set(GO, { from: await lineOf('go', 'env', 'GOROOT') });
  for (const [target, content] of [...(await certificates()), ...(await compilerCache())]) files.set(target, content);
  const name = nameOfRun('go');
  await importImage(name, files, [
    `ENV PATH=${GO}/bin:/usr/bin:/bin`,
    `ENV GOCACHE=${GO_CACHE}`,
    `ENV GOPROXY=${await lineOf('go', 'env', 'GOPROXY')}`,
    `ENV GOFLAGS=${await lineOf('go', 'env', 'GOFLAGS')}`,
  ]);
  return name;
}

/** The build arguments of the Dockerfile, with images made of what this machine has: none need be pulled. */
export async function makeBaseImages(): Promise<Record<string, string>> {
  const node = await makeNodeImage();
  return { NODE_IMAGE: node, BASE_IMAGE: node, GO_IMAGE: await makeGoImage() };
}
