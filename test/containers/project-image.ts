import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { dockerApi, LABELS } from './engine.js';
import { finished, packed } from './images.js';

/** What .dockerignore lets through: everything is ignored there but what follows a `!`. */
async function contextNames(): Promise<string[]> {
  const lines = (await readFile(path.join(PACKAGE_ROOT, '.dockerignore'), 'utf8')).trim().split('\n');
  if (lines[0] !== '*') throw new Error('.dockerignore is expected to begin with *');
  return ['Dockerfile', ...lines.slice(1).map((line) => line.replace(/^!/, ''))];
}

/** Builds the project's own Dockerfile; rejects with the end of what the build said. */
export async function buildProjectImage(name: string, buildargs: Readonly<Record<string, string>>): Promise<void> {
  const docker = await dockerApi();
  const context = packed(PACKAGE_ROOT, await contextNames());
  // With BuildKit, which leaves out stages that nobody needs. The registries are reached as this machine reaches them.
  const options = { t: name, buildargs, labels: LABELS, networkmode: 'host', forcerm: true, version: '2' as const };
  await finished(await docker.buildImage(context, options));
}
