/**
 * The supervisor: a small process that owns the processes of one world, so that nothing is left when the owner of the
 * world is killed. It starts them itself: there is no moment in which a process exists that the supervisor does not
 * know. Its channel to the owner closes with the owner, whatever ends it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '#runtime/until.js';
import { identify, type ProcessId } from './process-id.js';
import {
  LOG_FOLDER,
  PROCESS_FILE,
  type SupervisorReport,
  type SupervisorRequest,
  type ProcessSpec,
} from './world/supervisor-protocol.js';

/** An API server drains for minutes if one lets it; nothing here is worth that. */
const GRACE_MS = 1_000;
const POLL_MS = 20;

class Supervisor {
  readonly #dir: string;
  readonly #running = new Map<number, ChildProcess>();
  readonly #known: ProcessId[] = [];
  #stopping = false;

  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(path.join(dir, LOG_FOLDER), { recursive: true });
  }

  start(id: number, spec: ProcessSpec): void {
    if (this.#stopping) return;
    const log = openSync(path.join(this.#dir, LOG_FOLDER, `${spec.name}.log`), 'a', 0o600);
    const child = spawn(spec.program, spec.args, { cwd: this.#dir, env: { ...spec.env }, stdio: ['ignore', log, log] });
    closeSync(log);
    child.once('error', (error) => this.#ended(id, error.message));
    child.once('exit', (code, signal) => this.#ended(id, signal === null ? `exit code ${code ?? -1}` : signal));
    if (child.pid === undefined) return;
    this.#running.set(id, child);
    report({ type: 'started', id, pid: child.pid });
    void this.remember(child.pid);
  }

  /** Adds a process to the file that `down` reads when the supervisor itself is gone. */
  async remember(pid: number): Promise<void> {
    const known = await identify(pid);
    if (known === undefined || this.#stopping) return;
    this.#known.push(known);
    const file = path.join(this.#dir, PROCESS_FILE);
    writeFileSync(`${file}.new`, JSON.stringify(this.#known), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  kill(id: number): void {
    this.#running.get(id)?.kill('SIGKILL');
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#signalAll('SIGTERM');
    const areGone = (): boolean => this.#running.size === 0;
    await until(areGone, { timeoutMs: graceMs, intervalMs: POLL_MS });
    this.#signalAll('SIGKILL');
    await until(areGone, { timeoutMs: Infinity, intervalMs: POLL_MS });
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }

  #ended(id: number, outcome: string): void {
    this.#running.delete(id);
    report({ type: 'ended', id, outcome });
  }

  // A child that was not waited for keeps its pid, so this can't hit a stranger.
  #signalAll(signal: NodeJS.Signals): void {
    for (const child of this.#running.values()) child.kill(signal);
  }
}

function report(message: SupervisorReport): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

async function main(dir: string): Promise<void> {
  const supervisor = new Supervisor(dir);
  await supervisor.remember(process.pid);
  const finish = async (graceMs: number): Promise<void> => {
    await supervisor.stop(graceMs);
    report({ type: 'stopped' });
    if (process.connected) process.disconnect();
  };
  process.on('message', (request: SupervisorRequest) => {
    if (request.type === 'start') supervisor.start(request.id, request.spec);
    else if (request.type === 'kill') supervisor.kill(request.id);
    else void finish(GRACE_MS);
  });
  process.on('disconnect', () => void finish(0));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void finish(0));
}

const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error('usage: supervisor DIR');
await main(path.resolve(dir));
