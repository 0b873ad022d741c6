import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../sandbox/package-root.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const STOP_LIMIT_MS = 15_000;
const SHOWN_LOG_LINES = 12;

/** A controller in a process of its own, as it would run in a cluster. */
export interface ControllerProcess {
  readonly logFile: string;
  /** Rejects, with the end of the log, when the controller ends by itself. */
  readonly failure: Promise<never>;
  readonly stop: () => Promise<void>;
}

export interface ControllerStart {
  /** Absent: the default kubeconfig. */
  readonly kubeconfig: string;
  readonly helm: string;
  /** Artifacts and log are written below it. */
  readonly dir: string;
}

function argumentsOf({ kubeconfig, helm, dir }: ControllerStart): string[] {
  const flags = {
    '--kubeconfig': kubeconfig,
    '--helm-path': helm,
    '--storage-path': path.join(dir, 'controller'),
    '--storage-addr': '127.0.0.1:0',
    '--health-addr': '127.0.0.1:0',
  };
  return [PROGRAM, 'controller', ...Object.entries(flags).flat()];
}

async function endOf(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n');
}

async function failureOf(child: ChildProcess, logFile: string): Promise<never> {
  await once(child, 'exit');
  throw new Error(`the controller ended; the end of its log:\n${await endOf(logFile)}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const limit = new AbortController();
  const late = delay(STOP_LIMIT_MS, undefined, { signal: limit.signal }).then(() => child.kill('SIGKILL'));
  late.catch(() => undefined);
  await ended;
  limit.abort();
}

/** Starts `fairlead controller`; it ends with this process, however that ends. */
export async function startController(start: ControllerStart): Promise<ControllerProcess> {
  const logFile = path.join(start.dir, 'logs', 'controller.log');
  await mkdir(path.dirname(logFile), { recursive: true });
  const log = await open(logFile, 'a');
  try {
    // The channel tells the controller when we are gone; a group of its own keeps Ctrl-C for us.
    const child = spawn(process.execPath, argumentsOf(start), {
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
    });
    const failure = failureOf(child, logFile);
    failure.catch(() => undefined);
    return { logFile, failure, stop: () => stop(child) };
  } finally {
    await log.close();
  }
}
