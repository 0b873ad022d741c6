import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { defined } from '#lib/plain.js';
import type { DaemonOptions, DaemonReport } from './daemon.js';
import { isAlive, signalProcess, waitUntilGone, type ProcessId } from './process-id.js';
import { readState, runningState } from './state.js';
import type { StartWorldOptions, World } from './world.js';
import { ownerIn } from './world/folder.js';
import { PROCESS_FILE } from './world/supervisor-protocol.js';

async function untilReady(daemon: ChildProcess, say: (line: string) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    daemon.on('message', (report: DaemonReport) => {
      if (report.type === 'progress') say(report.line);
      if (report.type === 'ready') resolve();
      if (report.type === 'failed') reject(new Error(report.message));
    });
    daemon.once('error', reject);
    daemon.once('exit', (code) => reject(new Error(`the process that starts the sandbox exited with ${code ?? -1}`)));
  });
}

/** The world that runs in `dir`, held by another process; `stop` ends it for everybody. Undefined when none runs. */
export async function findWorld(dir: string): Promise<World | undefined> {
  const state = await runningState(dir);
  return state === undefined ? undefined : { ...state.world, stop: () => stopWorldIn(dir).then(() => undefined) };
}

/** Starts a world that outlives this process (and ends with `owner`, if given). Throws what startWorld throws. */
export async function startDaemonWorld(options: StartWorldOptions & { owner?: ProcessId }): Promise<World> {
  const { dir, members, owner, download, compile, onProgress, signal } = options;
  const program = path.join(PACKAGE_ROOT, 'dist', 'sandbox', 'daemon.js');
  if (!existsSync(program)) throw new Error(`${program} is missing: run npm run build first`);
  const settings: DaemonOptions = { dir: path.resolve(dir), members, ...defined({ owner, download, compile }) };
  const daemon = fork(program, [JSON.stringify(settings)], { detached: true, execArgv: [], stdio: 'ignore' });
  const abort = (): boolean => daemon.kill('SIGTERM');
  signal?.addEventListener('abort', abort);
  try {
    await untilReady(daemon, onProgress ?? (() => undefined));
  } finally {
    signal?.removeEventListener('abort', abort);
    daemon.unref();
    if (daemon.connected) daemon.disconnect();
  }
  const world = await findWorld(settings.dir);
  if (world === undefined) throw new Error(`the sandbox in ${settings.dir} stopped as soon as it was ready`);
  return world;
}

async function processesIn(dir: string): Promise<ProcessId[]> {
  try {
    // Written by the supervisor, in a folder that only the user may write.
    return JSON.parse(await readFile(path.join(dir, PROCESS_FILE), 'utf8')) as ProcessId[];
  } catch {
    return [];
  }
}

/**
 * True while somebody starts or ends a world in `dir`: its owner or its supervisor runs, and nobody says it is ready.
 */
export async function isInTransition(dir: string): Promise<boolean> {
  if ((await runningState(dir)) !== undefined) return false;
  const [supervisor] = await processesIn(dir);
  return (await ownerIn(dir)) === 'alive' || (supervisor !== undefined && (await isAlive(supervisor)));
}

/**
 * Ends the world in `dir` whoever holds it, also what a crash of everything left there. Kills only processes that
 * the world itself recorded, by pid and start time, and removes only the folder of a world. True when there was one.
 */
export async function stopWorldIn(dir: string): Promise<boolean> {
  if ((await ownerIn(dir)) === 'none') return false;
  const state = await readState(dir);
  const left = await processesIn(dir);
  if (state !== undefined && (await signalProcess(state.holder, 'SIGTERM'))) {
    await waitUntilGone([state.holder, ...left]);
  }
  for (const id of left) await signalProcess(id, 'SIGKILL');
  await waitUntilGone(left);
  await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  return true;
}
