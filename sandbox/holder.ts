/** The holder: a separate process that starts a world and keeps it until it is asked to stop, or its owner is gone. */
import { setTimeout as delay } from 'node:timers/promises';
import { untilAborted } from '../controllers/runtime/signals.js';
import { isAlive, type ProcessId } from './process-id.js';
import { writeState } from './state.js';
import { startWorld } from './world.js';

const OWNER_POLL_MS = 500;

/** What the holder is started with, as JSON in its one argument. */
export interface HolderOptions {
  readonly dir: string;
  readonly members: number;
  /** The world ends with this process. */
  readonly owner?: ProcessId;
}

/** What the holder tells who started it. */
export type HolderReport = { type: 'progress'; line: string } | { type: 'ready' } | { type: 'failed'; message: string };

function report(message: HolderReport): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

async function watchOwner(owner: ProcessId | undefined, stop: AbortController): Promise<void> {
  if (owner === undefined) return;
  while (await isAlive(owner)) await delay(OWNER_POLL_MS, undefined, { ref: false });
  stop.abort(new Error('the owner of the sandbox is gone'));
}

async function hold(options: HolderOptions): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stop.abort(new Error(name)));
  const abandoned = (): void => stop.abort(new Error('nobody waits for the sandbox any more'));
  process.once('disconnect', abandoned);
  void watchOwner(options.owner, stop);
  const onProgress = (line: string): void => report({ type: 'progress', line });
  const { dir, members } = options;
  const world = await startWorld({ dir, members, onProgress, signal: stop.signal });
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
  // Made by startHeldWorld.
  await hold(JSON.parse(argument ?? '{}') as HolderOptions);
} catch (error: unknown) {
  report({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
} finally {
  if (process.connected) process.disconnect();
}
