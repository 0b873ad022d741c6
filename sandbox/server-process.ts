import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');
const STOP_LIMIT_MS = 20_000;
const SHOWN_LOG_LINES = 12;

export interface ServerStart {
  /** Verb of the built program, which is also the name of its log. */
  readonly verb: string;
  readonly flags: readonly string[];
  /** The log is written below it. */
  readonly dir: string;
}

/** A built server in a process of its own, as it would run in a cluster. */
export interface ServerProcess {
  readonly pid: number;
  readonly logFile: string;
  /** What it logged so far. */
  readonly log: () => Promise<string>;
  /** True once it has ended, however. */
  readonly hasExited: () => boolean;
  /** Rejects, with the end of the log, when the server ends. */
  readonly failure: Promise<never>;
  /** SIGKILL, as a crash would be. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; SIGKILL when that takes too long. */
  readonly stop: () => Promise<void>;
}

/** A server, and the channel to it. */
export interface ServerWithChannel {
  readonly server: ServerProcess;
  readonly channel: ChildProcess;
}

async function failureOf(child: ChildProcess, verb: string, log: () => Promise<string>): Promise<never> {
  await once(child, 'exit');
  const shown = (await log()).trimEnd().split('\n').slice(-SHOWN_LOG_LINES);
  throw new Error(`the ${verb} exited; the end of its log:\n${shown.join('\n')}`);
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
    // The channel tells the server when we are gone; a group of its own keeps Ctrl-C for us.
    return spawn(process.execPath, args, { detached: true, stdio: ['ignore', log.fd, log.fd, 'ipc'] });
  } finally {
    await log.close();
  }
}

/** Starts a verb of the built program (`npm run build` comes first). It ends with this process, however that ends. */
export async function startServer({ verb, flags, dir }: ServerStart): Promise<ServerWithChannel> {
  const logFile = path.join(dir, 'logs', `${verb}.log`);
  await mkdir(path.dirname(logFile), { recursive: true });
  const channel = await spawnLogging([PROGRAM, verb, ...flags], logFile);
  const log = (): Promise<string> => readFile(logFile, 'utf8').catch(() => '');
  const failure = failureOf(channel, verb, log);
  failure.catch(() => undefined);
  if (channel.pid === undefined) throw new Error(`the ${verb} did not start; see ${logFile}`);
  const server = {
    ...{ pid: channel.pid, logFile, log, failure },
    hasExited: () => hasExited(channel),
    kill: () => end(channel, 'SIGKILL'),
    stop: () => end(channel, 'SIGTERM'),
  };
  return { server, channel };
}
