import { mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessId } from '../process-id.js';

const POLL_MS = 250;

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once when another process holds the lock. */
  onWait?: (owner: ProcessId) => void;
}

async function tryCreate(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(JSON.stringify(await identify(process.pid)));
    await handle.close();
    return true;
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function ownerOf(file: string): Promise<ProcessId | 'being-written' | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    return text === '' ? 'being-written' : (JSON.parse(text) as ProcessId);
  } catch {
    return undefined;
  }
}

/** Removes a lock whose owner died. Two processes may do so at once: the worst outcome is one build too many. */
async function removeIfStale(file: string): Promise<ProcessId | undefined> {
  const owner = await ownerOf(file);
  if (owner === undefined) return undefined;
  if (owner !== 'being-written' && (await isAlive(owner))) return owner;
  if (owner === 'being-written') await delay(POLL_MS);
  const again = await ownerOf(file);
  if (JSON.stringify(again) === JSON.stringify(owner)) await rm(file, { force: true });
  return undefined;
}

async function acquire(file: string, options: LockOptions): Promise<void> {
  let announced = false;
  while (!(await tryCreate(file))) {
    const owner = await removeIfStale(file);
    if (owner === undefined) continue;
    if (!announced) options.onWait?.(owner);
    announced = true;
    await delay(POLL_MS, undefined, { signal: options.signal });
  }
}

/** Runs `work` while holding the lock file; a lock left by a dead process is taken over. */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  await acquire(file, options);
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}
