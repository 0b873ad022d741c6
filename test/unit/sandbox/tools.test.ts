import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startHttpServer, type HttpServer } from '#sandbox/world/ports.js';
import { ensureTools, ToolUnavailableError, type EnsureToolsOptions } from '#sandbox/tools.js';

const PROGRAM = '#!/bin/sh\n';

let folder: string;
let server: HttpServer;
let asked: string[];
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-tools-'));
  asked = [];
  lines = [];
  // A mirror for all hosts of releases, which has only kubectl.
  server = await startHttpServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    if (url.endsWith('/kubectl')) response.end(PROGRAM);
    else if (url.endsWith('/kubectl.sha256')) response.end(createHash('sha256').update(PROGRAM).digest('hex'));
    else response.writeHead(404).end();
  });
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Calls ensureTools as on a machine without Go and without any of the tools. */
function ensure(names: Parameters<typeof ensureTools>[0], options: EnsureToolsOptions = {}) {
  const env = { PATH: folder, XDG_CACHE_HOME: folder };
  return ensureTools(names, { env, mirror: server.origin, log: (line) => void lines.push(line), ...options });
}

async function failure(...given: Parameters<typeof ensure>): Promise<Error> {
  const error: unknown = await ensure(...given).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ToolUnavailableError);
  return error as Error;
}

describe('tools that are not on this machine', () => {
  test('are fetched if they are released, without a flag', async () => {
    const { kubectl } = await ensure(['kubectl']);
    expect(await readFile(kubectl, 'utf8')).toBe(PROGRAM);
    expect(lines).toEqual([expect.stringMatching(/^downloaded kubectl from http/)]);
  });

  test('are compiled where they cannot be fetched, which one line says', async () => {
    const { message } = await failure(['kubectl', 'kube-scheduler']);
    expect(lines.filter((line) => line.includes('cannot download'))).toEqual([
      expect.stringMatching(
        /^cannot download kube-scheduler from http\S+: the server answered 404: go compiles what is missing$/,
      ),
    ]);
    expect(message).toMatch(/^cannot provide kube-scheduler\.(.|\n)*The build failed: cannot run go/);
  });

  test('without any provider one error names every way out', async () => {
    await server.close();
    const begun = performance.now();
    const { message } = await failure(['etcd', 'helm', 'kustomize']);
    expect(performance.now() - begun).toBeLessThan(10_000);
    for (const way of [
      'cannot provide kustomize',
      'dl.k8s.io',
      '--download URL',
      'install Go 1.26',
      'KUBEBUILDER_ASSETS',
      'PATH',
      `${folder}/fairlead/tools`,
    ]) {
      expect(message).toContain(way);
    }
    expect(lines).toContainEqual(expect.stringContaining('ECONNREFUSED: go compiles what is missing'));
  });

  test('are only compiled if the user says so', async () => {
    await failure(['kubectl'], { compile: true });
    expect(asked).toEqual([]);
  });

  test('are only fetched if the user says so', async () => {
    await expect(ensure(['kube-scheduler'], { download: true })).rejects.toThrow(
      /^cannot download kube-scheduler from \S+: the server answered 404\. Repeat .* or with --compile to compile it/,
    );
    expect(lines).toEqual([]);
  });
});
