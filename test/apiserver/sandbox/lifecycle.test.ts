import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findWorld, isInTransition, startDaemonWorld, stopWorldIn } from '#sandbox/daemon-world.js';
import { identify, isAlive, type ProcessId } from '#sandbox/process-id.js';
import { runningState } from '#sandbox/state.js';
import { startWorld, type World } from '#sandbox/world.js';
import { PROCESS_FILE } from '#sandbox/world/supervisor-protocol.js';
import { eventually } from '../../support/world.js';

const START_MS = 600_000;

let folder: string;
let dir: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-lifecycle-'));
  dir = path.join(folder, 'world');
});

afterEach(async () => {
  await stopWorldIn(dir);
  await rm(folder, { recursive: true, force: true });
});

/** The supervisor first, then every server that it started. */
async function processesOf(world: { dir: string }): Promise<ProcessId[]> {
  return JSON.parse(await readFile(path.join(world.dir, PROCESS_FILE), 'utf8')) as ProcessId[];
}

function portsOf(world: Omit<World, 'stop'>): number[] {
  const urls = [world.host.server, world.gitUrl, world.helmRepositoryUrl, `http://${world.registry}`];
  return urls.map((url) => Number(new URL(url).port));
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.unref().once('connect', () => socket.destroy());
  });
}

interface Traces {
  readonly processes: readonly ProcessId[];
  readonly ports: readonly number[];
}

async function tracesOf(world: Omit<World, 'stop'>): Promise<Traces> {
  const traces = { processes: await processesOf(world), ports: portsOf(world) };
  // Supervisor, etcd, registry, and four for the one cluster.
  expect(traces.processes).toHaveLength(7);
  expect(await Promise.all(traces.processes.map(isAlive))).not.toContain(false);
  expect(await Promise.all(traces.ports.map(accepts))).not.toContain(false);
  return traces;
}

/** Not the ports: the world of another worker may have one of them by now. */
async function expectNothingLeft({ processes }: Traces): Promise<void> {
  expect(await Promise.all(processes.map(isAlive))).not.toContain(true);
  expect(existsSync(dir)).toBe(false);
}

/** A process of its own that starts a world as a user of `sandbox/world.js` does, and says so on stdout. */
async function startOwner(): Promise<ChildProcess> {
  const module = (name: string): string => pathToFileURL(path.resolve('dist/sandbox', name)).href;
  const program = `
    import { startWorld } from '${module('world.js')}';
    import { writeState } from '${module('state.js')}';
    await writeState(await startWorld({ dir: ${JSON.stringify(dir)}, members: 0 }));
    console.log('ready');`;
  const args = ['--input-type=module', '--eval', program];
  const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(owner.stdout, 'data');
  return owner;
}

async function worldOf(): Promise<Omit<World, 'stop'>> {
  const state = await runningState(dir);
  if (state === undefined) throw new Error(`no world in ${dir}`);
  return state.world;
}

test(
  'two worlds run side by side; after stop no process or file of either is left',
  async () => {
    const other = path.join(folder, 'other');
    const worlds = await Promise.all([startWorld({ dir, members: 0 }), startWorld({ dir: other, members: 0 })]);
    const [first, second] = await Promise.all(worlds.map(tracesOf));
    expect(first!.ports.filter((port) => second!.ports.includes(port))).toEqual([]);
    await worlds[0].stop();
    await expectNothingLeft(first!);
    expect(await Promise.all(second!.ports.map(accepts))).not.toContain(false);
    await worlds[1].stop();
    await worlds[1].stop();
    await expectNothingLeft(second!);
    expect(existsSync(other)).toBe(false);
  },
  START_MS,
);

test(
  'nothing is left within seconds after the owner was killed',
  async () => {
    const owner = await startOwner();
    const traces = await tracesOf(await worldOf());
    owner.kill('SIGKILL');
    await eventually(() => expectNothingLeft(traces));
  },
  START_MS,
);

test(
  'a world whose supervisor was killed is ended by its owner',
  async () => {
    const world = await startWorld({ dir, members: 0 });
    const traces = await tracesOf(world);
    process.kill(traces.processes[0]!.pid, 'SIGKILL');
    await eventually(async () => {
      expect(await Promise.all(traces.processes.map(isAlive))).not.toContain(true);
    });
    await world.stop();
    await expectNothingLeft(traces);
  },
  START_MS,
);

test(
  'what a crash of everything leaves is ended by its folder',
  async () => {
    const owner = await startOwner();
    const traces = await tracesOf(await worldOf());
    const supervisor = traces.processes[0]!;
    process.kill(supervisor.pid, 'SIGSTOP');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    process.kill(supervisor.pid, 'SIGKILL');
    expect(await findWorld(dir)).toBeUndefined();
    expect(await stopWorldIn(dir)).toBe(true);
    await expectNothingLeft(traces);
    expect(await stopWorldIn(dir)).toBe(false);
  },
  START_MS,
);

test(
  'a held world outlives who started it and is found, until it is stopped',
  async () => {
    const held = await startDaemonWorld({ dir, members: 0 });
    const traces = await tracesOf(held);
    const found = await findWorld(dir);
    expect(found?.host).toEqual(held.host);
    await found?.stop();
    await expectNothingLeft(traces);
  },
  START_MS,
);

test(
  'a held world ends with its owner',
  async () => {
    const owner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const id = await identify(owner.pid!);
    const traces = await tracesOf(await startDaemonWorld({ dir, members: 0, owner: id! }));
    owner.kill('SIGKILL');
    await eventually(() => expectNothingLeft(traces));
  },
  START_MS,
);

test('an aborted start leaves nothing', async () => {
  const stop = new AbortController();
  const start = startWorld({ dir, members: 2, signal: stop.signal });
  const processes = await eventually(async () => {
    const started = await processesOf({ dir });
    expect(started.length).toBeGreaterThan(3);
    return started;
  });
  stop.abort(new Error('changed my mind'));
  await expect(start).rejects.toThrow('changed my mind');
  await expectNothingLeft({ processes, ports: [] });
});

test(
  'of two starts in one folder one wins, and it is not disturbed',
  async () => {
    const outcomes = await Promise.allSettled([startWorld({ dir, members: 0 }), startWorld({ dir, members: 0 })]);
    const worlds = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(worlds).toHaveLength(1);
    const traces = await tracesOf(worlds[0]!);
    await worlds[0]!.stop();
    await expectNothingLeft(traces);
  },
  START_MS,
);

test(
  'a world that starts is seen as such, and a held one that is ready is not',
  async () => {
    expect(await isInTransition(dir)).toBe(false);
    const start = startDaemonWorld({ dir, members: 0 });
    await eventually(async () => expect(await isInTransition(dir)).toBe(true));
    await start;
    expect(await isInTransition(dir)).toBe(false);
    expect(await stopWorldIn(dir)).toBe(true);
    expect(await isInTransition(dir)).toBe(false);
  },
  START_MS,
);

test('a folder with something in it is left alone', async () => {
  await mkdir(dir);
  await writeFile(path.join(dir, 'thesis.txt'), 'years of work');
  await expect(startWorld({ dir, members: 0 })).rejects.toThrow('is not empty');
  expect(await stopWorldIn(dir)).toBe(false);
  expect(await readFile(path.join(dir, 'thesis.txt'), 'utf8')).toBe('years of work');
});
