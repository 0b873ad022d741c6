import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/types.js';
import { getCondition } from '#controllers/runtime/pure/conditions.js';
import { allowedFor } from '../model/allowed.js';
import { keyOf } from '../model/content.js';
import { clusterOf, targetOf } from '../record/facts.js';
import type { ChildWrite } from '../record/recorder.js';
import { contentOf, placeOf } from '../world/targets.js';
import type { Invariant, Scene } from './types.js';

function placeText(child: Child, { world }: Scene): string {
  return keyOf(targetOf(placeOf(world.server, child, clusterOf(world, child))));
}

function isNews({ before, after }: ChildWrite, scene: Scene): boolean {
  if (after === undefined || after.metadata.deletionTimestamp !== undefined) return false;
  // Engines do nothing for what is suspended.
  if (after.spec.suspend === true) return false;
  if (before === undefined || before.spec.suspend === true) return true;
  return contentOf(before) !== contentOf(after) || placeText(before, scene) !== placeText(after, scene);
}

/** True if no removal of this Application waits for an approval. */
function isNothingHeld({ world }: Scene, child: Child): boolean {
  const uid = child.metadata.labels?.[APPLICATION_UID_LABEL];
  const own = world.applications().find(({ metadata }) => metadata.uid === uid);
  return getCondition(own?.status?.conditions, 'RemovalsHeld')?.status !== 'True';
}

/**
 * Returns true if the model knowingly judges such a write differently, e.g. a child that its user deleted to install it
 * once more.
 */
function isExcused(rule: string, { before, after }: ChildWrite, scene: Scene): boolean {
  if (rule === 'once') return before === undefined;
  // Another path is another target for the model, and an edit like any other for a Kustomization.
  if (rule === 'pinLeaves' || rule === 'unclearEntry') return after?.kind === 'Kustomization';
  return rule === 'lostSelector' && after !== undefined && isNothingHeld(scene, after);
}

function judge(write: ChildWrite, scene: Scene): string[] {
  const { after } = write;
  if (after === undefined || !isNews(write, scene)) return [];
  const target = targetOf(placeOf(scene.world.server, after, clusterOf(scene.world, after)));
  // Without a kubeconfig, nothing runs anywhere.
  if (target.cluster === '') return [];
  const { contents, isUndecided, rule } = allowedFor(scene.memory, target);
  const content = contentOf(after);
  if (isExcused(rule, write, scene)) return [];
  if (isUndecided || contents.some((each) => each.content === content)) return [];
  const verb = write.before === undefined ? 'created' : 'changed';
  return [`${after.metadata.name} was ${verb} to ${content} for ${keyOf(target)}, which may not be (${rule})`];
}

/** (b) What is written to a child may run there: by its stage, by approvals, pins and everything else users said. */
export function onlyAllowedRuns(): Invariant {
  return {
    name: 'only-allowed-runs',
    // While news is late, the controllers obey what users said before.
    onWrites: (writes, scene) => (scene.world.process.isStale ? [] : writes.flatMap((each) => judge(each, scene))),
  };
}
