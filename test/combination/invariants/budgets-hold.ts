import { groupedBy } from '#lib/plain.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { ApplicationMemory } from '../model/applications.js';
import { keyOf } from '../model/content.js';
import type { Member } from '../model/members.js';
import { viewsOf, type StageView } from '../model/rollout.js';
import { amountOf } from '../model/stages.js';
import { targetOfChild } from '../record/facts.js';
import type { ChildWrite } from '../record/recorder.js';
import { contentOf } from '../world/targets.js';
import type { Invariant, Scene } from './types.js';

function keyOn(child: Child, { world }: Scene): string {
  return keyOf(targetOfChild(world, child));
}

const uidOf = ({ metadata }: Child): string | undefined => metadata.labels?.[APPLICATION_UID_LABEL];

/** The children of some Application that engines work for, and those that this pass gave other contents. */
interface Live {
  readonly children: ReadonlyMap<string, readonly Child[]>;
  readonly started: ReadonlySet<string>;
}

/** True if the member was told to have its content, can be reached, and does not have it yet. */
function isUpdating({ key, state, destination }: Member, { children }: Live): boolean {
  const own = children.get(key) ?? [];
  return state === 'pending' && own.some((child) => contentOf(child) === destination.content);
}

/** Members that have a release which is not Ready, or will not be because of this pass. */
function unavailable({ members }: StageView, live: Live, { memory }: Scene): Member[] {
  return members.filter((member) => {
    const run = memory.targets.get(member.key)?.run;
    const isDown = run?.state === 'Failed' && (member.state === 'failed' || member.state === 'pending');
    return isDown || (run !== undefined && isUpdating(member, live));
  });
}

/** Two entries may have the same files: no more of them than there are children for these. */
function withChildren(members: readonly Member[], { children }: Live): Member[] {
  return members.filter(({ key }, index) => {
    const before = members.slice(0, index).filter((each) => each.key === key);
    return before.length < (children.get(key) ?? []).length;
  });
}

function judgeStage(view: StageView, live: Live, scene: Scene): string[] {
  const { stage, members } = view;
  const updating = withChildren(
    members.filter((member) => isUpdating(member, live)),
    live,
  );
  const begun = updating.filter(({ key }) => live.started.has(key));
  if (begun.length === 0) return [];
  const isOver = (limit: string | number | undefined, count: number): boolean =>
    limit !== undefined && count > amountOf(limit, members.length);
  const down = unavailable(view, live, scene);
  const hasRun = begun.some(({ key }) => scene.memory.targets.get(key)?.run !== undefined);
  return [
    ...(isOver(stage.maxConcurrent, updating.length)
      ? [`stage ${stage.name} updates ${updating.length} at a time`]
      : []),
    ...(hasRun && isOver(stage.maxUnavailable, down.length) ? [`${down.length} of stage ${stage.name} are down`] : []),
  ];
}

function judgeApplication(application: ApplicationMemory, writes: readonly ChildWrite[], scene: Scene): string[] {
  const { memory, world } = scene;
  const { metadata, spec } = application.object;
  const rollout = memory.rollouts.get(application.name);
  if (spec.rollout?.stages === undefined || rollout === undefined || !application.exists) return [];
  const news = writes.filter(
    ({ before, after }) => after !== undefined && (before === undefined || contentOf(before) !== contentOf(after)),
  );
  const own = news.flatMap(({ after }) => (after !== undefined && uidOf(after) === metadata.uid ? [after] : []));
  if (own.length === 0) return [];
  const awake = world.children().filter((child) => uidOf(child) === metadata.uid && child.spec.suspend !== true);
  const live = {
    children: groupedBy(awake, (child) => keyOn(child, scene)),
    started: new Set(own.map((child) => keyOn(child, scene))),
  };
  return viewsOf(application, memory, rollout.failing).flatMap((view) => judgeStage(view, live, scene));
}

/** (c) No stage starts more destinations than `maxConcurrent` and `maxUnavailable` allow. */
export function budgetsHold(): Invariant {
  return {
    name: 'budgets-hold',
    // While news is late, the controllers know of other members.
    onWrites: (writes, scene) =>
      scene.world.process.isStale
        ? []
        : [...scene.memory.applications.values()].flatMap((each) => judgeApplication(each, writes, scene)),
  };
}
