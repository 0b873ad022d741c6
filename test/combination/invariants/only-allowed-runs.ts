import { APPLICATION_UID_LABEL, HALTED_ANNOTATION, SELECTION_ANNOTATION } from '#api/v1alpha1/labels.js';
import { isSuspendedForRemoval } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { allowedFor } from '../model/allowed.js';
import type { ApplicationMemory } from '../model/applications.js';
import { keyOf } from '../model/content.js';
import type { Target } from '../model/facts.js';
import type { RuleName } from '../model/rules.js';
import { verdictOf } from '../model/wanted.js';
import { isOfAnother, targetOfChild } from '../record/facts.js';
import type { ChildWrite } from '../record/recorder.js';
import { contentOf } from '../world/targets.js';
import type { Invariant, Scene } from './types.js';

/** The invariant of what is not judged apart. */
const MAIN = 'only-allowed-runs';

function placeText(child: Child, { world }: Scene): string {
  return keyOf(targetOfChild(world, child));
}

function isNews({ before, after }: ChildWrite, scene: Scene): boolean {
  if (after === undefined || after.metadata.deletionTimestamp !== undefined) return false;
  // Engines do nothing for what is suspended.
  if (after.spec.suspend === true) return false;
  if (before === undefined || before.spec.suspend === true) return true;
  return contentOf(before) !== contentOf(after) || placeText(before, scene) !== placeText(after, scene);
}

/** True if no release of a selector waits for its removal: the controllers begin it before they write what comes next. */
function isNothingHeld({ world }: Scene, child: Child): boolean {
  const uid = child.metadata.labels?.[APPLICATION_UID_LABEL];
  const own = world.children().filter(({ metadata }) => metadata.labels?.[APPLICATION_UID_LABEL] === uid);
  const waiting = own.filter(({ metadata }) => metadata.annotations?.[SELECTION_ANNOTATION] !== undefined);
  return waiting.every((each) => each.metadata.deletionTimestamp !== undefined || isSuspendedForRemoval(each));
}

/** True if the Application of the child, or some cluster of it, is pinned. */
function isOfPinned({ metadata }: Child, { memory }: Scene): boolean {
  const uid = metadata.labels?.[APPLICATION_UID_LABEL];
  const own = [...memory.applications.values()].find(({ object }) => object.metadata.uid === uid);
  return own !== undefined && (own.pin !== undefined || own.clusterPins.size > 0);
}

/** Another path is another target for the model, and an edit like any other for a Kustomization. */
function isAnotherPath(rule: RuleName, after: Child | undefined, scene: Scene): boolean {
  if (after?.kind !== 'Kustomization') return false;
  // A pinned one has the path of its revision, and maybe nothing else ever had that.
  return rule === 'pinLeaves' || rule === 'unclearEntry' || (rule === 'notOurs' && isOfPinned(after, scene));
}

/** True if nobody wants it, or its Application was deleted before its new cluster was accepted. */
function isUnwanted(child: Child, { memory, world }: Scene): boolean {
  const { is, rule } = verdictOf(memory, targetOfChild(world, child));
  const uid = child.metadata.labels?.[APPLICATION_UID_LABEL];
  const own = [...memory.applications.values()].find(({ object }) => object.metadata.uid === uid);
  return is === 'unwanted' || (rule === 'notOurs' && own?.isLeaving === true);
}

/** True if it only goes on with what it has, after its cluster was replaced: it is uninstalled from there then. */
function isResumedToGo({ before, after }: ChildWrite, scene: Scene): boolean {
  if (before?.metadata.annotations?.[HALTED_ANNOTATION] === undefined || after === undefined) return false;
  if (contentOf(before) !== contentOf(after)) return false;
  const [was, is] = [before, after].map((child) => keyOf(targetOfChild(scene.world, child)));
  return was === is && isUnwanted(after, scene);
}

function isLostSelector(rule: RuleName, after: Child | undefined, scene: Scene): boolean {
  return rule === 'lostSelector' && after !== undefined && isNothingHeld(scene, after);
}

/** True if a child under another name of its cluster has what runs there. */
function isUnderAnotherName(child: Child, { world }: Scene): boolean {
  return child.spec.kubeConfig !== undefined && isOfAnother(world, child);
}

/** Returns true if the model knowingly judges such a write differently. */
function isExcused(rule: RuleName, { before, after }: ChildWrite, scene: Scene): boolean {
  // Under one name of a cluster it was installed once, and under another one nothing is.
  if (rule === 'once' && before !== undefined && isOfAnother(scene.world, before)) return true;
  // Its child does not say what was left there, and its engine refuses to replace that.
  if (rule === 'leftBehind' && (before === undefined || isUnderAnotherName(before, scene))) return true;
  if (isResumedToGo({ before, after }, scene)) return true;
  return isAnotherPath(rule, after, scene) || isLostSelector(rule, after, scene);
}

/** A finding about a write. Some are judged apart from the rest, by the name of an invariant. */
interface Wrong {
  readonly invariant: string;
  readonly message: string;
}

/** True if two clusters of the Application have one name. */
function hasTwins({ expanded }: ApplicationMemory): boolean {
  const keys = new Map(expanded.destinations.map(({ clusterName, clusterKey }) => [clusterName, clusterKey]));
  return expanded.destinations.some(({ clusterName, clusterKey }) => keys.get(clusterName) !== clusterKey);
}

/** The invariant that such a write breaks. */
function invariantOf(rule: RuleName, application: ApplicationMemory | undefined): string {
  if (application === undefined) return MAIN;
  if (hasTwins(application)) return 'names-are-apart';
  if (rule === 'resumedInStages') return 'resumed-in-stages';
  const isSecond = application.since > (application.revisions[0]?.since ?? 0);
  return rule === 'approval' && isSecond ? 'approvals-end' : MAIN;
}

/** Returns true if the write takes back what users have got for themselves; the model is silent about pins. */
function takesBack({ before, after }: ChildWrite, rule: RuleName, application: ApplicationMemory | undefined): boolean {
  const isPinned = application?.pin !== undefined || (application?.clusterPins.size ?? 0) > 0;
  return rule === 'once' && !isPinned && before?.spec.suspend === true && after?.spec.suspend !== true;
}

function judge(write: ChildWrite, scene: Scene): Wrong[] {
  const { after } = write;
  if (after === undefined || !isNews(write, scene)) return [];
  const target = targetOfChild(scene.world, after);
  // Without a kubeconfig, nothing runs anywhere.
  return target.cluster === '' ? [] : judgeOn(target, { ...write, after }, scene);
}

/** A write that leaves something. */
type Made = ChildWrite & { readonly after: Child };

/** True if it creates a child, and no other one is for what it is for. */
function isFirstFor(target: Target, { before, after }: Made, { world }: Scene): boolean {
  const others = world.children().filter(({ metadata }) => metadata.uid !== after.metadata.uid);
  return before === undefined && others.every((each) => keyOf(targetOfChild(world, each)) !== keyOf(target));
}

function judgeOn(target: Target, write: Made, scene: Scene): Wrong[] {
  const { after } = write;
  const { memory } = scene;
  const { contents, isUndecided, rule } = allowedFor(memory, target, isFirstFor(target, write, scene));
  const content = contentOf(after);
  const application = memory.applications.get(memory.targets.get(keyOf(target))?.last?.application ?? '');
  const { name } = after.metadata;
  if (takesBack(write, rule, application)) {
    return [{ invariant: 'once-stays', message: `${name} is managed again, and was installed once` }];
  }
  if (isUndecided || contents.some((each) => each.content === content) || isExcused(rule, write, scene)) return [];
  const verb = write.before === undefined ? 'created' : 'changed';
  const message = `${name} was ${verb} to ${content} for ${keyOf(target)}, which may not be (${rule})`;
  return [{ invariant: invariantOf(rule, application), message }];
}

/** The findings by the writes that were judged: several invariants ask for the same. */
const judged = new WeakMap<readonly ChildWrite[], readonly Wrong[]>();

function wrongIn(writes: readonly ChildWrite[], scene: Scene): readonly Wrong[] {
  // While news is late, the controllers obey what users said before.
  if (scene.world.process.isStale) return [];
  const known = judged.get(writes) ?? writes.flatMap((each) => judge(each, scene));
  judged.set(writes, known);
  return known;
}

const judgedAs = (name: string) => (): Invariant => ({
  name,
  onWrites: (writes, scene) =>
    wrongIn(writes, scene).flatMap(({ invariant, message }) => (invariant === name ? [message] : [])),
});

/** (b) What is written to a child may run there: by its stage, by approvals, pins and everything else users said. */
export const onlyAllowedRuns = judgedAs(MAIN);
/** (b) What took no part in a rollout is updated in stages once it is resumed. */
export const resumedInStages = judgedAs('resumed-in-stages');
/** (b) An approval is for one revision, also if the Application is created again. */
export const approvalsEnd = judgedAs('approvals-end');
/** (b) Two clusters with one name are two clusters. */
export const namesAreApart = judgedAs('names-are-apart');
/** (a) What was installed once is never taken back. */
export const onceStays = judgedAs('once-stays');
