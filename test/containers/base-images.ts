import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { ensureTools } from '#sandbox/tools.js';
import { nameOfRun } from './engine.js';
import { importImage, programs, which, type Content } from './images.js';

const execute = promisify(execFile);

const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const NPM = '/usr/lib/node_modules/npm';

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

/** The helm and the kustomize that this machine compiled from tools/ by the same rules, at the paths of TOOLS_IMAGE. */
async function makeToolsImage(): Promise<string> {
  const tools = await ensureTools(['helm', 'kustomize']);
  const name = nameOfRun('tools');
  await importImage(name, await programs({ '/out/helm': tools.helm, '/out/kustomize': tools.kustomize }));
  return name;
}

/** The build arguments of the Dockerfile, with images made of what this machine has: none need be pulled. */
export async function makeBaseImages(): Promise<Record<string, string>> {
  const [node, tools] = await Promise.all([makeNodeImage(), makeToolsImage()]);
  return { NODE_IMAGE: node, BASE_IMAGE: node, TOOLS_IMAGE: tools };
}
