import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import type { CounterStart } from './counter-program.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'bench', 'scenarios', 'counter-program.js');

/** One process of the counter program. It ends with this process, however that ends. */
export class CounterReplica {
  readonly identity: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #log = '';

  constructor(start: CounterStart) {
    this.identity = start.identity;
    this.#child = spawn(process.execPath, [PROGRAM, JSON.stringify(start)], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.#log += chunk.toString('utf8')));
    }
    this.#ended = once(this.#child, 'exit');
  }

  /** What it logged. */
  get log(): string {
    return this.#log;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Its exit code when it ends by itself, null when a signal ended it. */
  async ended(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** It has seen that somebody else holds the lease. */
  get waits(): boolean {
    return this.#log.includes('"msg":"waiting for the lease"') && !this.hasEnded;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }
}
