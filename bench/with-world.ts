import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startWorld, type World } from '#sandbox/world.js';

/** Runs `measure` in a world of its own and ends that world, whatever happens. */
export async function withWorld<T>(
  { members }: { readonly members: number },
  measure: (world: World) => Promise<T>,
): Promise<T> {
  const world = await startWorld({ dir: await mkdtemp(path.join(tmpdir(), 'fairlead-bench-')), members });
  try {
    return await measure(world);
  } finally {
    await world.stop();
  }
}
