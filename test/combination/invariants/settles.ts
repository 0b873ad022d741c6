import { DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Invariant, Scene } from './types.js';

function isDryRun({ world }: Scene): boolean {
  return world.applications().some(({ metadata }) => metadata.annotations?.[DRY_RUN_ANNOTATION] === 'true');
}

/** (f) Everything comes to an end, and no code throws what only a bug throws. */
export function settles(): Invariant {
  return {
    name: 'settles',
    onSettled: (scene) => [
      ...(scene.world.isRestless && !isDryRun(scene) ? ['the controllers do not come to rest'] : []),
      ...scene.world.bugs.map((bug) => `a bug: ${bug instanceof Error ? (bug.stack ?? bug.message) : String(bug)}`),
    ],
  };
}

/** (f) The same while a dry run is asked for. */
export function dryRunRests(): Invariant {
  return {
    name: 'dry-run-rests',
    onSettled: (scene) =>
      scene.world.isRestless && isDryRun(scene) ? ['the controllers do not come to rest in a dry run'] : [],
  };
}
