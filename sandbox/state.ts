import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import omit from 'lodash/omit.js';
import { identify, isAlive, type ProcessId } from './process-id.js';
import type { World } from './world.js';

const STATE_FILE = 'fairlead-state.json';

/** What others need to use a world, and to end it. */
export interface WorldState {
  /** The process that holds the world. */
  readonly holder: ProcessId;
  readonly world: Omit<World, 'stop'>;
}

/** Writes the state of a ready world that this process holds. */
export async function writeState(world: World): Promise<void> {
  const holder = await identify(process.pid);
  if (holder === undefined) throw new Error('this process has no start time');
  const file = path.join(world.dir, STATE_FILE);
  await writeFile(`${file}.new`, JSON.stringify({ holder, world: omit(world, 'stop') } satisfies WorldState), {
    mode: 0o600,
  });
  await rename(`${file}.new`, file);
}

/** The state in `dir`, whether its holder still runs or not; undefined when there is none. */
export async function readState(dir: string): Promise<WorldState | undefined> {
  try {
    // Written whole by writeState of this very version, in a folder that only the user may write.
    return JSON.parse(await readFile(path.join(dir, STATE_FILE), 'utf8')) as WorldState;
  } catch {
    return undefined;
  }
}

/** The state of a world that runs in `dir`; undefined when there is none. */
export async function runningState(dir: string): Promise<WorldState | undefined> {
  const state = await readState(dir);
  return state !== undefined && (await isAlive(state.holder)) ? state : undefined;
}
