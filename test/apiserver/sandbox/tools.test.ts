import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { ensureTools } from '#sandbox/tools.js';
import { readModule } from '#sandbox/tools/cache.js';
import { buildTools, workOf } from '#sandbox/tools/go-build.js';
import { runCommand } from '#sandbox/command.js';
import { eventually } from '../../support/world.js';

// kustomize is the smallest of the modules: with a warm Go build cache it takes two seconds.
const BUILD_MS = 600_000;

let cache: string;
let toolFolder: string;

beforeEach(async () => {
  cache = await mkdtemp(path.join(tmpdir(), 'fairlead-tools-'));
  toolFolder = path.join(cache, 'fairlead', 'tools');
});

afterEach(() => rm(cache, { recursive: true, force: true }));

let goCache: string;

beforeAll(async () => {
  goCache = (await runCommand('go', ['env', 'GOCACHE'])).trim();
});

/** An empty cache for our tools, and the one that Go has. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, XDG_CACHE_HOME: cache, GOCACHE: goCache };
}

interface Builder {
  readonly child: ChildProcess;
  /** What it has printed; all of it once it has ended. */
  readonly lines: () => string[];
  readonly exitCode: Promise<number | null>;
}

/** Another process that needs the tool, with the PATH of a machine that has only Go. */
function startBuilder(): Builder {
  const tools = pathToFileURL(path.resolve('dist/sandbox/tools/go-build.js')).href;
  const cacheModule = pathToFileURL(path.resolve('dist/sandbox/tools/cache.js')).href;
  const program = `
    import { buildTools } from '${tools}';
    import { readModule } from '${cacheModule}';
    const module = await readModule('kustomize', ${JSON.stringify(toolFolder)});
    const log = (line) => console.log(line);
    await buildTools(module, ['kustomize'], { env: process.env, log });`;
  const args = ['--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { env: environment(), stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return { child, lines: () => output.trimEnd().split('\n'), exitCode };
}

/** Where builders noted their running compiler. */
async function compilers(): Promise<string[]> {
  const files = await readdir(toolFolder, { recursive: true });
  return files.filter((file) => path.basename(file) === 'compiler.json');
}

async function builtFolders(): Promise<string[]> {
  return (await readdir(toolFolder)).sort();
}

test(
  'two processes that need a tool at once build it once',
  async () => {
    const builders = [startBuilder(), startBuilder()];
    expect(await Promise.all(builders.map(({ exitCode }) => exitCode))).toEqual([0, 0]);
    const lines = builders.flatMap((builder) => builder.lines());
    expect(lines.filter((line) => line.startsWith('building kustomize'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('waiting for process')).length).toBeLessThanOrEqual(1);
    expect(await builtFolders()).toEqual([expect.stringMatching(/^kustomize-[0-9a-f]{12}$/)]);
    const { kustomize } = await ensureTools(['kustomize'], { env: environment() });
    expect(kustomize.startsWith(toolFolder)).toBe(true);
    expect(await runCommand(kustomize, ['version'])).toMatch(/^v5\./);
  },
  BUILD_MS,
);

test(
  'a build that is killed leaves nothing half-made, and the next one is not disturbed',
  async () => {
    const killed = startBuilder();
    await eventually(async () => expect(await compilers()).toHaveLength(1), { intervalMs: 20 });
    killed.child.kill('SIGKILL');
    await killed.exitCode;
    expect(await builtFolders()).not.toContainEqual(expect.stringMatching(/^kustomize-[0-9a-f]{12}$/));
    const next = startBuilder();
    expect(await next.exitCode).toBe(0);
    expect(next.lines().at(-1)).toMatch(/^built kustomize in \d+ s$/);
    expect(await builtFolders()).toEqual([expect.stringMatching(/^kustomize-[0-9a-f]{12}$/)]);
  },
  BUILD_MS,
);

test(
  'a tool of a fitting version on PATH is taken before it is built, and the cache before that',
  async () => {
    const real = await ensureTools(['kustomize', 'kubectl']);
    const bin = path.join(cache, 'bin');
    await mkdir(bin);
    for (const tool of ['kustomize', 'kubectl'] as const) await symlink(real[tool], path.join(bin, tool));
    const lines: string[] = [];
    const env = { PATH: bin, XDG_CACHE_HOME: cache };
    const found = await ensureTools(['kustomize', 'kubectl'], { env, log: (line) => lines.push(line) });
    expect(found).toEqual({ kustomize: path.join(bin, 'kustomize'), kubectl: path.join(bin, 'kubectl') });
    expect(lines).toContainEqual(expect.stringMatching(/^kustomize: .*\/bin\/kustomize \(PATH, version 5\./));
    await expect(access(toolFolder)).rejects.toThrow();
  },
  BUILD_MS,
);

test(
  'what the compiler has in its cache is no work ahead',
  async () => {
    const module = await readModule('kustomize', toolFolder);
    const options = { env: environment(), log: () => undefined };
    const cold = { ...options, env: { ...environment(), GOCACHE: path.join(cache, 'go') } };
    const all = await workOf(module, ['kustomize'], cold);
    expect(all.packages.size).toBeGreaterThan(300);
    // The largest package of the standard library that it needs.
    expect(all.packages.get('net/http')?.cost).toBeGreaterThan(500_000);
    await buildTools(module, ['kustomize'], options);
    expect((await workOf(module, ['kustomize'], options)).packages.size).toBeLessThanOrEqual(1);
  },
  BUILD_MS,
);

test('an aborted build stops the compiler', async () => {
  const stop = new AbortController();
  const build = ensureTools(['registry'], { env: environment(), signal: stop.signal, compile: true });
  const abort = eventually(async () => {
    expect(await builtFolders()).toContainEqual(expect.stringContaining('.tmp-'));
    stop.abort(new Error('changed my mind'));
  });
  await Promise.all([abort, expect(build).rejects.toThrow('changed my mind')]);
  expect(await builtFolders()).toEqual([]);
});
