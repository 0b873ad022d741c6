import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../controllers/runtime/package-root.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
/** Whoever ends a sandbox does not wait for its roll-outs. */
const SHUTDOWN_TIMEOUT = '3s';
const STOP_LIMIT_MS = 20_000;
const SHOWN_LOG_LINES = 12;

export interface ControllerStart {
  /** Kubeconfig file of the host cluster. */
  readonly kubeconfig: string;
  readonly helm: string;
  /** Default: the one on PATH. */
  readonly kustomize?: string | undefined;
  /** Artifacts and log are written below it; one controller at a time. */
  readonly dir: string;
  /** More flags of `fairlead controller`; they win over those above. */
  readonly flags?: readonly string[];
}

/** The built controller in a process of its own, as it would run in a cluster. */
export interface ControllerProcess {
  readonly pid: number;
  readonly logFile: string;
  /** What it logged so far. */
  readonly log: () => Promise<string>;
  /** True once it has ended, however. */
  readonly hasExited: () => boolean;
  /** Rejects, with the end of the log, when the controller ends. */
  readonly failure: Promise<never>;
  /** SIGKILL, as a crash would be. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; SIGKILL when that takes too long. */
  readonly stop: () => Promise<void>;
}

function argumentsOf(
  { kubeconfig, helm, kustomize = 'kustomize', flags = [] }: ControllerStart,
  storage: string,
): string[] {
  const own = {
    '--kubeconfig': kubeconfig,
    '--helm-path': helm,
    '--kustomize-path': kustomize,
    '--storage-path': storage,
    '--storage-addr': '127.0.0.1:0',
    '--health-addr': '127.0.0.1:0',
    '--graceful-shutdown-timeout': SHUTDOWN_TIMEOUT,
  };
  return [PROGRAM, 'controller', '--watch-managed', ...Object.entries(own).flat(), ...flags];
}

async function failureOf(child: ChildProcess, log: () => Promise<string>): Promise<never> {
  await once(child, 'exit');
  const shown = (await log()).trimEnd().split('\n').slice(-SHOWN_LOG_LINES);
  throw new Error(`the controller exited; the end of its log:\n${shown.join('\n')}`);
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasExited(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const limit = new AbortController();
  const late = delay(STOP_LIMIT_MS, undefined, { signal: limit.signal }).then(() => child.kill('SIGKILL'));
  late.catch(() => undefined);
  await ended;
  limit.abort();
}

async function spawnLogging(args: readonly string[], logFile: string): Promise<ChildProcess> {
  const log = await open(logFile, 'w');
  try {
    // The channel tells the controller when we are gone; a group of its own keeps Ctrl-C for us.
    return spawn(process.execPath, args, { detached: true, stdio: ['ignore', log.fd, log.fd, 'ipc'] });
  } finally {
    await log.close();
  }
}

/**
 * Starts `fairlead controller` (`npm run build` comes first) with an empty storage of its own. It ends with this
 * process, however that ends. Resolves at once: readiness shows in the objects.
 */
export async function startController(start: ControllerStart): Promise<ControllerProcess> {
  const logFile = path.join(start.dir, 'logs', 'controller.log');
  await mkdir(path.dirname(logFile), { recursive: true });
  const storage = await mkdtemp(path.join(start.dir, 'controller-'));
  const child = await spawnLogging(argumentsOf(start, storage), logFile);
  const log = (): Promise<string> => readFile(logFile, 'utf8').catch(() => '');
  const failure = failureOf(child, log);
  failure.catch(() => undefined);
  const endBy = async (signal: NodeJS.Signals): Promise<void> => {
    await end(child, signal);
    await rm(storage, { recursive: true, force: true });
  };
  if (child.pid === undefined) throw new Error(`the controller did not start; see ${logFile}`);
  return {
    ...{ pid: child.pid, logFile, log, failure },
    hasExited: () => hasExited(child),
    kill: () => endBy('SIGKILL'),
    stop: () => endBy('SIGTERM'),
  };
}
