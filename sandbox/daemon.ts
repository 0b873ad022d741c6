/** The daemon: a separate process that starts a world and ends it on request, or when its owner has exited. */
import { setTimeout as delay } from 'node:timers/promises';
import { untilAborted } from '#runtime/process/signals.js';
import { isAlive, type ProcessId } from './process-id.js';
import { writeState } from './state.js';
import type { ToolChoice } from './tools.js';
import { startWorld } from './world.js';

const OWNER_POLL_MS = 500;

/** The only argument of the daemon, as JSON. */
export interface DaemonOptions extends ToolChoice {
  readonly dir: string;
  readonly members: number;
  /** The world ends with this process. */
  readonly owner?: ProcessId;
}

/** Sent to the process that started the daemon. */
export type DaemonReport = { type: 'progress'; line: string } | { type: 'ready' } | { type: 'failed'; message: string };

function report(message: DaemonReport): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

async function watchOwner(owner: ProcessId | undefined, stop: AbortController): Promise<void> {
  if (owner === undefined) return;
  while (await isAlive(owner)) await delay(OWNER_POLL_MS, undefined, { ref: false });
  stop.abort(new Error('the owner of the sandbox is gone'));
}

async function hold(options: DaemonOptions): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop.abort(new Error(name)));
  const abandoned = (): void => stop.abort(new Error('nobody waits for the sandbox any more'));
  process.once('disconnect', abandoned);
  void watchOwner(options.owner, stop);
  const onProgress = (line: string): void => report({ type: 'progress', line });
  const { dir, members, download, compile } = options;
  const world = await startWorld({ dir, members, download, compile, onProgress, signal: stop.signal });
  try {
    await writeState(world);
    process.removeListener('disconnect', abandoned);
    report({ type: 'ready' });
    if (process.connected) process.disconnect();
    await untilAborted(stop.signal);
  } finally {
    await world.stop();
  }
}

const [argument] = process.argv.slice(2);
try {
  // Made by startDaemonWorld.
  await hold(JSON.parse(argument ?? '{}') as DaemonOptions);
} catch (error: unknown) {
  report({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
} finally {
  if (process.connected) process.disconnect();
}
