import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '../package-root.js';
import type { World } from '../world.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist/cli/main.js');
const KEPT_LOG = 2_000;

/** The built controller as its own process, as a user runs it. */
export interface ControllerProcess {
  readonly pid: number;
  /** The newest log lines. */
  readonly log: () => string;
  /** SIGKILL, as a crash would be. */
  readonly kill: () => Promise<void>;
  /** SIGTERM and the exit code. */
  readonly stop: () => Promise<number | null>;
}

function ended(child: ChildProcess): Promise<unknown> {
  return child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : once(child, 'exit');
}

/** Starts `fairlead controller` on the host of `world`; resolves at once, readiness shows in the objects. */
export async function startController(world: World, extra: readonly string[] = []): Promise<ControllerProcess> {
  const storage = await mkdtemp(path.join(tmpdir(), 'fairlead-controller-'));
  const flags = ['--storage-path', storage, '--storage-addr', '127.0.0.1:0', '--health-addr', '127.0.0.1:0'];
  const args = [PROGRAM, 'controller', '--kubeconfig', world.host.kubeconfig, '--helm-path', world.tools.helm];
  const child = spawn(process.execPath, [...args, ...flags, ...extra], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      lines.push(...text.split('\n').filter((line) => line !== ''));
      lines.splice(0, Math.max(0, lines.length - KEPT_LOG));
    });
  }
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    await ended(child);
    // A git that outlived a killed controller may still write there for a moment.
    await rm(storage, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    return child.exitCode;
  };
  return {
    pid: child.pid ?? -1,
    log: () => lines.join('\n'),
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
  };
}
