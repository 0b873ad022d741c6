import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { identify, signalProcess, waitUntilGone, type ProcessId } from '../process-id.js';
import { LOG_FOLDER, type SupervisorReport, type SupervisorRequest, type ProcessSpec } from './supervisor-protocol.js';

const LOG_LINES_SHOWN = 15;

/** A process of a world that ended although nobody asked it to; the message carries the end of its log. */
export class ProcessEndedError extends Error {
  constructor(name: string, outcome: string, log: string) {
    super(`${name} exited (${outcome}); the end of its log:\n${log}`);
    this.name = 'ProcessEndedError';
  }
}

/** A running process of a world. */
export interface WorldProcess {
  readonly name: string;
  /** Rejects with ProcessEndedError when the process ends before the world is stopped; never resolves. */
  readonly ended: Promise<never>;
  /** Ends it at once, as a crash does; resolves when it is gone. */
  readonly kill: () => Promise<void>;
}

interface Pending {
  readonly spec: ProcessSpec;
  readonly fail: (error: Error) => void;
}

/** The owner's side of the supervisor: starts processes whose life is bound to ours. */
export class Processes {
  readonly #dir: string;
  readonly #supervisor: ChildProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #pids: Promise<ProcessId | undefined>[] = [];
  /** Settled when the supervisor has ended and nothing of the world is left. */
  readonly #gone: Promise<void>;
  #stopping = false;

  private constructor(dir: string, supervisor: ChildProcess) {
    this.#dir = dir;
    this.#supervisor = supervisor;
    supervisor.on('message', (report: SupervisorReport) => this.#receive(report));
    this.#gone = new Promise((resolve) => supervisor.once('exit', resolve)).then(() => this.#supervisorEnded());
  }

  /** Starts the supervisor of a world in `dir`, which it removes in the end. */
  static async open(dir: string): Promise<Processes> {
    const program = path.join(PACKAGE_ROOT, 'dist', 'sandbox', 'supervisor.js');
    if (!existsSync(program)) throw new Error(`${program} is missing: run npm run build first`);
    // Detached: a Ctrl-C in the terminal is for the owner, which then stops the world in order.
    const supervisor = fork(program, [dir], {
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    await new Promise((resolve, reject) => supervisor.once('spawn', () => resolve(undefined)).once('error', reject));
    return new Processes(dir, supervisor);
  }

  start(spec: ProcessSpec): WorldProcess {
    const id = this.#pending.size;
    const ended = new Promise<never>((_resolve, reject) => this.#pending.set(id, { spec, fail: reject }));
    // Who waits for the process to be ready sees the failure; later ones are told by the failing requests.
    ended.catch(() => undefined);
    this.#send({ type: 'start', id, spec });
    const kill = async (): Promise<void> => {
      this.#send({ type: 'kill', id });
      await ended.catch(() => undefined);
    };
    return { name: spec.name, ended, kill };
  }

  /** Stops every process, in grace first, and removes the folder. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#send({ type: 'stop' });
    await this.#gone;
  }

  #send(request: SupervisorRequest): void {
    this.#supervisor.send(request, (error) => {
      if (error !== null && request.type === 'start') this.#pending.get(request.id)?.fail(error);
    });
  }

  #receive(report: SupervisorReport): void {
    if (report.type === 'started') this.#pids.push(identify(report.pid));
    if (report.type === 'ended') void this.#processEnded(report.id, report.outcome);
  }

  async #processEnded(id: number, outcome: string): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined || this.#stopping) return;
    pending.fail(new ProcessEndedError(pending.spec.name, outcome, await this.#endOfLog(pending.spec.name)));
  }

  async #endOfLog(name: string): Promise<string> {
    const file = path.join(this.#dir, LOG_FOLDER, `${name}.log`);
    const text = await readFile(file, 'utf8').catch(() => '(no log)');
    return text.trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n');
  }

  /** A supervisor that was killed leaves its processes and the folder to us. */
  async #supervisorEnded(): Promise<void> {
    for (const { fail, spec } of this.#pending.values()) {
      fail(new ProcessEndedError(spec.name, 'its supervisor is gone', ''));
    }
    const left = (await Promise.all(this.#pids)).filter((id) => id !== undefined);
    await Promise.all(left.map((id) => signalProcess(id, 'SIGKILL')));
    await waitUntilGone(left);
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

const PORT_ATTEMPTS = 3;

/**
 * Runs `start`, which asks for free ports and starts a server on them, again when that server ends at once: another
 * program may have taken the port in between. The last failure is thrown.
 */
export async function startOnFreePort<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error: unknown) {
      if (!(error instanceof ProcessEndedError) || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}
