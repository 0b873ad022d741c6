import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import * as tar from 'tar';
import { startHttpServer, type HttpServer } from '#sandbox/world/ports.js';
import { cachedPath, readModule, type ToolModule } from '#sandbox/tools/cache.js';
import { downloadTools, redirection } from '#sandbox/tools/download.js';
import type { ToolName } from '#sandbox/tools/table.js';

const PROGRAM = Buffer.from('#!/bin/sh\necho v1\n');
const PLATFORM = { os: 'linux', arch: 'amd64' };

let cache: string;
let server: HttpServer;
let lines: string[];
/** What the server has, by the end of the path; all else is 404. */
let answers: Map<string, RequestListener>;

beforeEach(async () => {
  cache = await mkdtemp(path.join(tmpdir(), 'fairlead-download-'));
  answers = new Map();
  lines = [];
  server = await startHttpServer((request, response) => {
    const found = [...answers].find(([end]) => request.url?.endsWith(end) === true)?.[1];
    if (found === undefined) response.writeHead(404).end('not found');
    else found(request, response);
  });
});

afterEach(async () => {
  await server.close();
  await rm(cache, { recursive: true });
});

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function gives(content: Buffer | string): RequestListener {
  return (_request, response) => void response.end(content);
}

async function archive(member: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(cache, 'archive-'));
  const file = path.join(folder, member);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, PROGRAM, { mode: 0o755 });
  await tar.create({ gzip: true, cwd: folder, file: path.join(folder, 'all.tar.gz') }, [member.split('/')[0] ?? '']);
  return readFile(path.join(folder, 'all.tar.gz'));
}

function offerKubectl(): void {
  answers.set('/kubectl', gives(PROGRAM));
  answers.set('/kubectl.sha256', gives(sha256(PROGRAM)));
}

async function run(module: ToolModule, tools: readonly ToolName[], signal?: AbortSignal): Promise<void> {
  const log = (line: string): void => void lines.push(line);
  const env = { PATH: '/nowhere' };
  await downloadTools(module, tools, {
    ...{ env, log, signal, onProgress: () => undefined, platform: PLATFORM },
    mirror: server.origin,
  });
}

/** The one line of the failure. */
async function failure(module: ToolModule, tool: ToolName): Promise<string> {
  const error: unknown = await run(module, [tool]).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message.replaceAll(server.origin, 'ORIGIN');
}

async function expectProgram(module: ToolModule, tool: ToolName): Promise<void> {
  expect(await readFile(cachedPath(module, tool))).toEqual(PROGRAM);
  expect((await stat(cachedPath(module, tool))).mode & 0o777).toBe(0o755);
}

async function expectNothingLeft(): Promise<void> {
  const left = (await readdir(cache)).filter((name) => !name.startsWith('archive-'));
  expect(left).toEqual([]);
}

describe('a released program', () => {
  test('is fetched, compared with its checksum and kept', async () => {
    const module = await readModule('control-plane', cache);
    offerKubectl();
    await run(module, ['kubectl']);
    await expectProgram(module, 'kubectl');
    expect(lines).toEqual([expect.stringMatching(/^downloaded kubectl from http:.*\/dl\.k8s\.io\/release\/v1\.\d+\.\d+\//)]);
  });

  test('is taken out of its archive', async () => {
    const module = await readModule('sandbox', cache);
    const content = await archive('linux-amd64/helm');
    answers.set('-linux-amd64.tar.gz', gives(content));
    answers.set('.tar.gz.sha256sum', gives(`${sha256(content)}  helm-v4.3.1-linux-amd64.tar.gz\n`));
    await run(module, ['helm']);
    await expectProgram(module, 'helm');
    expect(await readdir(module.folder)).toEqual(['helm']);
  });

  test('may have its checksum in a list of all files', async () => {
    const module = await readModule('kustomize', cache);
    const content = await archive('kustomize');
    answers.set('/kustomize%2Fv5.8.1/kustomize_v5.8.1_linux_amd64.tar.gz', gives(content));
    answers.set('/kustomize%2Fv5.8.1/checksums.txt', gives(`${sha256(content)}  kustomize_v5.8.1_linux_amd64.tar.gz\n`));
    await run(module, ['kustomize']);
    await expectProgram(module, 'kustomize');
  });

  test('may have its checksum in what GitHub says of the release', async () => {
    const module = await readModule('sandbox', cache);
    const assets = [{ name: 'kwok-linux-amd64', digest: `sha256:${sha256(PROGRAM)}` }];
    answers.set('/kwok-linux-amd64', gives(PROGRAM));
    answers.set('/releases/tags/v0.8.0', gives(JSON.stringify({ assets })));
    await run(module, ['kwok']);
    await expectProgram(module, 'kwok');
  });

  test('may be somewhere else', async () => {
    const module = await readModule('control-plane', cache);
    answers.set('/there', gives(PROGRAM));
    answers.set('/kubectl', (_request, response) => void response.writeHead(302, { location: '/there' }).end());
    answers.set('/kubectl.sha256', gives(`${sha256(PROGRAM)}\n`));
    await run(module, ['kubectl']);
    await expectProgram(module, 'kubectl');
  });

  test('is not fetched a second time', async () => {
    const module = await readModule('control-plane', cache);
    offerKubectl();
    await run(module, ['kubectl']);
    answers.clear();
    await run(module, ['kubectl']);
    await expectProgram(module, 'kubectl');
  });
});

describe('a program that cannot be fetched is not there, and one line says why', () => {
  const WAY_OUT = 'Repeat the command to go on from here, or with --compile to compile it with Go.';

  test.each<[string, Record<string, RequestListener>, RegExp]>([
    ['a missing file', { '/kubectl.sha256': gives(sha256(PROGRAM)) }, /\/kubectl: the server answered 404\./],
    ['a missing checksum', { '/kubectl': gives(PROGRAM) }, /\/kubectl\.sha256: the server answered 404\./],
    [
      'a page instead of a checksum',
      { '/kubectl': gives(PROGRAM), '/kubectl.sha256': gives('<html>sign in</html>') },
      /\/kubectl\.sha256: it has no SHA-256 checksum of kubectl\./,
    ],
    [
      'a wrong checksum',
      { '/kubectl': gives('something else'), '/kubectl.sha256': gives(sha256(PROGRAM)) },
      /\/kubectl: its SHA-256 is [0-9a-f]{64}, but [0-9a-f]{64} was published\./,
    ],
    [
      'a body that ends early',
      {
        '/kubectl': (_request, response) => {
          response.writeHead(200, { 'content-length': 1_000_000 });
          response.write(PROGRAM, () => response.destroy());
        },
        '/kubectl.sha256': gives(sha256(PROGRAM)),
      },
      /\/kubectl: (UND_ERR_SOCKET|other side closed|terminated)\./,
    ],
    [
      'a circle of redirects',
      {
        '/kubectl': (_request, response) => void response.writeHead(302, { location: 'kubectl' }).end(),
        '/kubectl.sha256': gives(sha256(PROGRAM)),
      },
      /\/kubectl: redirect count exceeded\./,
    ],
    [
      'a server that fails',
      { '/kubectl.sha256': (_request, response) => void response.writeHead(503).end() },
      /\/kubectl\.sha256: the server answered 503\./,
    ],
  ])('%s', async (_what, served, problem) => {
    for (const [end, answer] of Object.entries(served)) answers.set(end, answer);
    const message = await failure(await readModule('control-plane', cache), 'kubectl');
    expect(message).toMatch(/^cannot download kubectl from ORIGIN\/dl\.k8s\.io\//);
    expect(message).toMatch(problem);
    expect(message.endsWith(WAY_OUT)).toBe(true);
    expect(message).not.toContain('\n');
    await expectNothingLeft();
  });

  test('no network', async () => {
    const module = await readModule('control-plane', cache);
    await server.close();
    expect(await failure(module, 'kubectl')).toMatch(/\/kubectl\.sha256: ECONNREFUSED\. Repeat the command/);
    await expectNothingLeft();
  });

  test('an archive without the program', async () => {
    const module = await readModule('sandbox', cache);
    const content = await archive('linux-amd64/README.md');
    answers.set('-linux-amd64.tar.gz', gives(content));
    answers.set('.tar.gz.sha256sum', gives(`${sha256(content)}\n`));
    expect(await failure(module, 'helm')).toMatch(/: the archive has no program linux-amd64\/helm\. Repeat/);
    await expectNothingLeft();
  });
});

test('what was fetched before a failure is kept for the next attempt', async () => {
  const module = await readModule('control-plane', cache);
  offerKubectl();
  await expect(run(module, ['kubectl', 'kube-scheduler'])).rejects.toThrow('kube-scheduler.sha256: the server answered 404');
  await expectProgram(module, 'kubectl');
  answers.clear();
  answers.set('/kube-scheduler', gives(PROGRAM));
  answers.set('/kube-scheduler.sha256', gives(sha256(PROGRAM)));
  await run(module, ['kubectl', 'kube-scheduler']);
  await expectProgram(module, 'kube-scheduler');
});

test('an interrupted download stops at once and leaves nothing', async () => {
  const module = await readModule('control-plane', cache);
  const interruption = new AbortController();
  answers.set('/kubectl.sha256', gives(sha256(PROGRAM)));
  answers.set('/kubectl', (_request, response) => {
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write(PROGRAM, () => interruption.abort(new Error('interrupted')));
  });
  await expect(run(module, ['kubectl'], interruption.signal)).rejects.toThrow('interrupted');
  await expectNothingLeft();
});

describe('a redirect', () => {
  test.each([
    ['https://a.example/x', 'https://b.example/y', 'https://b.example/y'],
    ['https://a.example/x', '/y', 'https://a.example/y'],
    ['http://127.0.0.1/x', 'http://127.0.0.1/y', 'http://127.0.0.1/y'],
    ['http://127.0.0.1/x', 'https://b.example/y', 'https://b.example/y'],
  ])('from %s to %s is followed', (from, location, to) => {
    expect(redirection(from, location)).toBe(to);
  });

  test.each([
    ['https://a.example/x', 'http://b.example/y?token=s3cret', 'http://b.example, which is not HTTPS'],
    ['https://a.example/x', 'data:,x', 'which is not HTTPS'],
    ['http://127.0.0.1/x', 'file:///etc/passwd', 'which is not HTTPS'],
  ])('from %s to %s is not', (from, location, problem) => {
    expect(() => redirection(from, location)).toThrow(problem);
  });
});
