import groupBy from 'lodash/groupBy.js';
import { recordedUid } from '#api/v1alpha1/cluster-uid.js';
import type { PendingReason } from '#api/v1alpha1/pending.js';
import { NAMESPACE_METADATA_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { ChildFacts } from '../../deletion/facts.js';
import { mayDelete } from '../../deletion/rule.js';
import { includes } from '../../runtime/pure/subset.js';
import { backendOf } from './backends/index.js';
import { changesOf } from './changes.js';
import { PossibleMatches } from './possible-matches.js';
import { waitsFor } from './clusters/gate.js';
import { ReleaseHolders } from './release-holders.js';
import { clusterText } from './cluster.js';
import { liveReleaseKey, releaseKeyText, workText } from './identity.js';
import { digestIn } from './digest.js';
import { describeChild } from './messages.js';
import { belongAlike, isLeftover, isOfOneApplication } from './ownership.js';
import { isInstalledFor, isInstalledOnce, isLeftAlone } from './once.js';
import { newReinstallationOf } from './moves.js';
import { isTerminating } from './state.js';
import { isSuspendedForRemoval, isUnmanaged } from './suspension.js';
import type { Child, DesiredChild, Entry, RejectedEntry, Step } from './types.js';

/** The input of a plan. */
export interface PlanInput {
  readonly desired: readonly DesiredChild[];
  readonly rejected: readonly RejectedEntry[];
  /** The child of each rejected entry, which is left unchanged. */
  readonly rejectedChild: (rejected: RejectedEntry) => Child | undefined;
  /** Children of the Application without an entry. */
  readonly unmatched: readonly Child[];
  /** False if the list of children may be incomplete or outdated. */
  readonly complete: boolean;
  /** True if the user requested the deletion of children of ks-devops that no entry adopted. */
  readonly leftoversMayGo: boolean;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** Why the removal of an unmatched child must wait. */
  readonly heldRemoval: (child: Child) => string | undefined;
  /** Why no entry matches an unmatched child; undefined: its entry was removed. */
  readonly whyLeaves: (child: Child) => string | undefined;
  /** Unmatched children that leave as soon as they may. */
  readonly departing: readonly Child[];
  /** Why the child of an entry must not be created now. */
  readonly heldCreation: (entry: Entry) => string | undefined;
  /** Why the release of an unmatched child stays when the child is deleted. */
  readonly releaseStays: (child: Child) => string | undefined;
  /** What has the release of an unmatched child under another name of its cluster. */
  readonly keeperOf: (child: Child) => string | undefined;
  /** Why a change that uninstalls the child's release first must wait. */
  readonly heldMove: (child: Child) => string | undefined;
}

/** True for a child that belongs to nobody, or to an earlier Application of the name. */
function isAdoption(live: Child, desired: Child): boolean {
  return !belongAlike(live, desired) && !isOfOneApplication(live, desired);
}

/** The one annotation of which a change by others would reach the cluster. */
function wishIn({ metadata }: Child): string | undefined {
  return metadata.annotations?.[NAMESPACE_METADATA_ANNOTATION];
}

/** Why `live` must be tied to its Application; undefined if it is. */
function whyTie(live: Child, desired: Child): string | undefined {
  if (isAdoption(live, desired)) return 'taken over';
  return belongAlike(live, desired) ? undefined : 'changed owner';
}

/** Why the spec of `live` must be written; undefined if it is in its desired state. */
function whyUpdate(live: Child, desired: Child): string | undefined {
  const sameDigest = digestIn(live) === digestIn(desired);
  const hasFields = includes(live.spec, desired.spec) && includes(live.metadata.labels, desired.metadata.labels);
  const asDesired = hasFields && wishIn(live) === wishIn(desired);
  if (isSuspendedForRemoval(live)) return 'needed again';
  if (isUnmanaged(live)) return 'managed again';
  if (sameDigest && asDesired) return undefined;
  const changes = changesOf(live.spec, desired.spec);
  const what = changes === '' ? 'labels and annotations' : changes;
  return sameDigest ? `changed by another writer: ${what}` : `changed ${what}`;
}

/** Why only the UID of its cluster must be written. */
function whyRecord(live: Child, desired: Child): string | undefined {
  return recordedUid(live) === recordedUid(desired) ? undefined : 'the UID of its cluster is recorded';
}

/** True if both may have created cluster-wide objects of one name. */
function areNamesakes(child: Child, object: Child): boolean {
  return child.kind === object.kind && backendOf(child).areNamesakes(child, object);
}

/** True if the deletion of one child may affect the other on its cluster: same namespace or names. */
function isNeighbour(child: Child, object: Child): boolean {
  const namespaces = [child.spec.targetNamespace, object.spec.targetNamespace];
  // Files without a target namespace can be in any namespace.
  return namespaces.includes(undefined) || namespaces[0] === namespaces[1] || areNamesakes(child, object);
}

/** What its child is changed to, once nothing is in the way. */
function laterOf({ entry, live, later }: DesiredChild): { later?: Child } {
  if (later === undefined || live === undefined) return {};
  return isTerminating(live) || isInstalledFor(entry, live) ? {} : { later };
}

function waitStep(desired: DesiredChild, why: string, hold: PendingReason = 'Release'): Step {
  const { entry, live } = desired;
  return { op: 'wait', entry, live, why, hold, ...laterOf({ ...desired, later: desired.later ?? desired.object }) };
}

/** True if the child claims another release. A child that keeps its work is at most renamed. */
function isMoving({ object, live }: DesiredChild): boolean {
  if (live === undefined) return true;
  if (workText(live) === workText(object)) return false;
  return releaseKeyText(liveReleaseKey(live)) !== releaseKeyText(liveReleaseKey(object));
}

interface Others {
  readonly possibleMatches: PossibleMatches;
  readonly holders: ReleaseHolders;
  /** Children without an entry that are being deleted, or will be, by `clusterText`. */
  readonly leaving: Readonly<Record<string, readonly Child[]>>;
  readonly heldCreation: PlanInput['heldCreation'];
  readonly heldMove: PlanInput['heldMove'];
}

/** A cluster that is not ready is no reason: its engine retries, and reports it. */
function clusterHold(desired: DesiredChild, op: Step['op']): Step | undefined {
  const { cluster, clusterName } = desired.entry;
  if (cluster === undefined || (op !== 'create' && op !== 'update')) return undefined;
  if (cluster.isPaused) return waitStep(desired, `waiting: cluster ${clusterName} is paused`, 'ClusterPaused');
  const { credential } = cluster;
  if (op === 'update' || credential.type !== 'none') return undefined;
  return waitStep(desired, `waiting: cluster ${clusterName} has no credential: ${credential.why}`, 'Credential');
}

/** It keeps the revision that it has; pins and the rollout know better what it waits for. */
function heldStep(desired: DesiredChild, why: string): Step {
  const { entry, live } = desired;
  if (live !== undefined) return { op: 'keep', entry, live, why, hold: 'Release', ...laterOf(desired) };
  return { op: 'wait', entry, live, why: waitsFor(entry) ?? why, hold: 'Release' };
}

/** Treats an update as a removal if the engine uninstalls first. While it is held, none of it is written. */
function guardedStep(step: Step, desired: DesiredChild, { heldMove }: Others): Step {
  if (step.op !== 'update') return step;
  const uninstalls = newReinstallationOf(step.live, step.object)?.why;
  if (uninstalls === undefined) return step;
  const why = heldMove(step.live);
  return why === undefined ? { ...step, uninstalls } : waitStep(desired, `waiting, ${why}`, 'Removal');
}

function stepFor(desired: DesiredChild, others: Others): Step {
  if (desired.held !== undefined) return heldStep(desired, desired.held);
  const step = openStep(desired, others);
  return clusterHold(desired, step.op) ?? guardedStep(step, desired, others);
}

/** Why a new child must not be created, whatever the others hold. */
function doubtOf({ entry, live }: DesiredChild, { possibleMatches, heldCreation }: Others): string | undefined {
  return live === undefined ? (possibleMatches.ofEntry(entry) ?? heldCreation(entry) ?? waitsFor(entry)) : undefined;
}

function leavingNeighbour(object: Child, { leaving }: Others): Child | undefined {
  return leaving[clusterText(object.spec.kubeConfig)]?.find((child) => isNeighbour(child, object));
}

/** A child that was installed once is at most tied to another Application. */
function stepForLive(desired: DesiredChild & { readonly live: Child }): Step {
  const { entry, object, live, waits } = desired;
  const tie = whyTie(live, object);
  if (tie === undefined && isInstalledFor(entry, live)) {
    if (isLeftAlone(live)) return { op: 'keep', entry, live, why: 'installed once' };
    return { op: 'unmanage', entry, live, why: 'installed once, it is not managed any more' };
  }
  const why = tie ?? whyUpdate(live, object) ?? whyRecord(live, object);
  if (why === undefined && waits !== undefined)
    return { op: 'keep', entry, live, why: waits, hold: 'Release', ...laterOf(desired) };
  if (why === undefined) return { op: 'keep', entry, live, why: 'unchanged' };
  return { op: 'update', entry, object, live, why, isAdoption: isAdoption(live, object), ...laterOf(desired) };
}

/** The step if nothing is known of the cluster. */
function openStep(desired: DesiredChild, others: Others): Step {
  const { entry, object, live } = desired;
  if (live !== undefined && isTerminating(live)) return waitStep(desired, `${describeChild(live)} is being deleted`);
  const doubt = doubtOf(desired, others);
  if (doubt !== undefined) return waitStep(desired, doubt);
  const inTheWay = isMoving(desired) ? others.holders.of(desired) : undefined;
  if (inTheWay !== undefined) return waitStep(desired, inTheWay);
  if (live !== undefined) return stepForLive({ ...desired, live });
  const neighbour = leavingNeighbour(object, others);
  if (neighbour !== undefined) return waitStep(desired, `waiting until ${describeChild(neighbour)} is deleted`);
  return { op: 'create', entry, object, why: 'new destination' };
}

type Removal = Extract<Step, { op: 'delete' | 'suspend' | 'spare' }>;

/** The children that stay, by their live and desired work. */
function stayingChildren({ desired, rejected, rejectedChild }: PlanInput): Map<string, Child> {
  const wanted = desired.flatMap(({ object, live }) =>
    live === undefined ? [] : [[workText(live), live] as const, [workText(object), live] as const],
  );
  const others = rejected.flatMap((each) => rejectedChild(each) ?? []);
  return new Map([...wanted, ...others.map((child) => [workText(child), child] as const)]);
}

interface Deps {
  readonly possibleMatches: PossibleMatches;
  readonly stayingByWork: ReadonlyMap<string, Child>;
}

function removal(
  live: Child,
  { complete, leftoversMayGo, heldRemoval, whyLeaves, releaseStays, keeperOf }: PlanInput,
  { possibleMatches, stayingByWork }: Deps,
): Removal {
  const sharing = stayingByWork.get(workText(live));
  const facts: ChildFacts = {
    subject: 'child',
    intent: 'unwanted',
    owned: true,
    isTerminating: isTerminating(live),
    complete,
    policy: 'Delete',
    doubtfulEntry: possibleMatches.ofChild(live),
    heldRemoval: heldRemoval(live),
    departure: whyLeaves(live),
    releaseStays: releaseStays(live),
    isLeftover: isLeftover(live),
    leftoversMayGo,
    sharesReleaseWith: sharing === undefined ? keeperOf(live) : describeChild(sharing),
    isInstalledOnce: isInstalledOnce(live),
    isSuspended: live.spec.suspend === true,
  };
  const { allowed, instead, why } = mayDelete(facts);
  if (allowed) return { op: 'delete', live, why };
  if (instead === 'suspend') return { op: 'suspend', live, why };
  return instead === 'wait' ? { op: 'spare', live, why, hold: 'Removal' } : { op: 'spare', live, why };
}

/** True for steps that start or complete the removal of what a child deployed. */
export function isRemoval(step: Step): step is Extract<Step, { op: 'delete' | 'suspend' | 'update' }> {
  return step.op === 'delete' || step.op === 'suspend' || (step.op === 'update' && step.uninstalls !== undefined);
}

const WRITING: readonly string[] = ['update', 'unmanage', 'delete'];

/** The children that steps write or delete. */
export function writtenBy(steps: readonly Step[]): ReadonlySet<Child> {
  return new Set(steps.flatMap((step) => (WRITING.includes(step.op) && 'live' in step ? (step.live ?? []) : [])));
}

function rejectedStep(rejected: RejectedEntry, live: Child | undefined): Step {
  return { op: 'wait', entry: rejected.entry, live, why: rejected.violation.message };
}

/** The cluster of a spared child without any entry may have another name now. */
function holdersOf(
  { desired, rejected, rejectedChild, unmatched }: PlanInput,
  leaving: readonly Child[],
): ReleaseHolders {
  const entries = [...desired, ...rejected].map(({ entry }) => entry);
  const clusters = new Set(entries.map(({ release }) => release.cluster));
  const going = new Set(leaving);
  const spared = unmatched.filter((child) => !going.has(child));
  const isLost = ({ spec }: Child): boolean => !clusters.has(clusterText(spec.kubeConfig));
  const matched = [...desired.map(({ live }) => live), ...rejected.map(rejectedChild)].flatMap((live) => live ?? []);
  const staying = [...matched, ...spared.filter((child) => !isLost(child))];
  return new ReleaseHolders({ going: [...leaving, ...spared.filter(isLost)], staying });
}

/**
 * One step per child, in the order of the entries, deletes last. The deletion rule decides what is deleted. A child
 * waits while another one holds its release, and a new child also until a neighbour (same cluster, and same namespace
 * or name) is deleted.
 */
export function planSteps(input: PlanInput): Step[] {
  const possibleMatches = new PossibleMatches(input);
  const deps = { possibleMatches, stayingByWork: stayingChildren(input) };
  const removals = input.unmatched.map((child) => removal(child, input, deps));
  const leaving = removals.filter(({ op, live }) => op !== 'spare' || isTerminating(live)).map(({ live }) => live);
  const others = {
    possibleMatches,
    holders: holdersOf(input, leaving),
    leaving: groupBy([...leaving, ...input.departing], ({ spec }) => clusterText(spec.kubeConfig)),
    heldCreation: input.heldCreation,
    heldMove: input.heldMove,
  };
  return [
    ...input.desired.map((desired) => stepFor(desired, others)),
    ...input.rejected.map((rejected) => rejectedStep(rejected, input.rejectedChild(rejected))),
    ...removals,
  ];
}
