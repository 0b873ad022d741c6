import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from '#runtime/until.js';

/** A process for good: a pid alone may belong to another process tomorrow. */
export interface ProcessId {
  readonly pid: number;
  /** When it started, in the words of this operating system; only good for comparing. */
  readonly started: string;
}

const STARTTIME_AFTER_COMMAND = 19;
const POLL_MS = 25;
const WAIT_LIMIT_MS = 20_000;

async function startedInProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The command may hold spaces and parentheses; the state follows the last one of them.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[STARTTIME_AFTER_COMMAND];
}

async function startedByPs(pid: number): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
  return stdout.trim() === '' ? undefined : stdout.trim();
}

/** Start time of a running process; undefined when there is none with this pid (or only a zombie). */
async function startedAt(pid: number): Promise<string | undefined> {
  try {
    return process.platform === 'linux' ? await startedInProc(pid) : await startedByPs(pid);
  } catch {
    return undefined;
  }
}

/** Identity of a running process; undefined when it is gone. */
export async function identify(pid: number): Promise<ProcessId | undefined> {
  const started = await startedAt(pid);
  return started === undefined ? undefined : { pid, started };
}

/** True while that very process runs. */
export async function isAlive(id: ProcessId): Promise<boolean> {
  return (await startedAt(id.pid)) === id.started;
}

/** Sends a signal to that very process; false when it is gone. */
export async function signalProcess(id: ProcessId, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isAlive(id))) return false;
  try {
    return process.kill(id.pid, signal);
  } catch {
    return false;
  }
}

/** Resolves when none of them runs any more, or after 20 s. */
export async function waitUntilGone(processes: readonly ProcessId[]): Promise<void> {
  const areGone = async (): Promise<boolean> => !(await Promise.all(processes.map(isAlive))).includes(true);
  await until(areGone, { timeoutMs: WAIT_LIMIT_MS, intervalMs: POLL_MS });
}
