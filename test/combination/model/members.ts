import type { ApplicationMemory } from './applications.js';
import { leftBehind } from './claimed.js';
import type { Destination } from './destinations.js';
import type { Moment, Run } from './facts.js';
import { isLeftAlone, isOutOfReach } from './once.js';
import { stageOf } from './stages.js';
import { applies, areShared, mayMean, type Claim, type TargetMemory, type Targets } from './targets.js';
import { isAtNewest, isPinned, isProbed } from './verdict.js';

/**
 * State of a destination at the current revision. `left`: it takes no part. `once`: it was installed once, with this
 * content, and never changes. Only `ready` and `once` prove anything.
 */
type MemberState = 'left' | 'once' | 'spent' | 'rejected' | 'unreachable' | 'ready' | 'failed' | 'pending';

/** A destination as a member of a stage. */
export interface Member {
  readonly destination: Destination;
  /** Key of its target; the id of the destination if nobody knows its cluster yet. */
  readonly key: string;
  readonly stage: string;
  readonly state: MemberState;
  /** True if the controllers may have seen that somebody else has its release, or that it was here first. */
  readonly mayBeRejected: boolean;
}

interface Given {
  readonly claims: readonly Claim[];
  readonly targets: Targets;
  readonly moment: Moment;
}

/** True if another object of the inventory describes the same cluster, so that the release has two destinations. */
function hasSecondName({ key, destination }: Claim, claims: readonly Claim[]): boolean {
  const { application, clusterKey } = destination;
  const others = claims.filter((each) => mayMean(each, key) && each.destination.application === application);
  const isOther = (each: Destination): boolean => each.clusterKey !== clusterKey && isProbed(each);
  return isProbed(destination) && others.some((each) => isOther(each.destination));
}

function mayBeRejected(application: ApplicationMemory, claim: Claim | undefined, given: Given): boolean {
  const { claims, targets, moment } = given;
  const known = targets.get(claim?.key ?? '');
  if (claim === undefined || known === undefined) return false;
  if (leftBehind({ known, claim, application }) !== undefined) return true;
  if (known.isContested || hasSecondName(claim, claims)) return true;
  if (known.isOwnerCertain) return false;
  const rivals = claims.filter(({ key }) => key === claim.key);
  return areShared(known.target, rivals) || moment.world.plain.some((each) => applies(each, known.target));
}

function shown(run: Run | undefined, { content }: Destination): MemberState {
  if (run === undefined || (content !== undefined && run.content !== content)) return 'pending';
  const states = { Ready: 'ready', Failed: 'failed', Progressing: 'pending' } as const;
  return states[run.state];
}

/** A destination that is pinned to the very revision that is rolled out gets it in its stage, as any other one. */
function isLeft(application: ApplicationMemory, { isSuspended, cluster, clusterName }: Destination): boolean {
  const isHeldBack = isPinned(application, clusterName) && !isAtNewest(application, clusterName);
  return isSuspended || cluster?.paused === true || isHeldBack;
}

/** True if there is no way to deploy to it now, or its `ready` is not true yet. */
function isShut(destination: Destination, claim: Claim | undefined, run: Run | undefined): boolean {
  const isReplaced = claim?.located.found !== undefined;
  return isOutOfReach(destination) || isReplaced || (destination.closedBy !== undefined && run === undefined);
}

const isOfAnother = ({ owner }: TargetMemory, { application }: Destination): boolean =>
  owner !== undefined && owner !== application;

const onceState = ({ run }: TargetMemory, { content }: Destination): MemberState =>
  run?.content === content ? 'once' : 'spent';

function stateOf(application: ApplicationMemory, destination: Destination, { claims, targets }: Given): MemberState {
  const claim = claims.find((each) => each.destination.id === destination.id);
  const known = claim === undefined ? undefined : targets.get(claim.key);
  if (isLeft(application, destination)) return 'left';
  if (destination.rejected !== undefined) return 'rejected';
  if (known === undefined) return 'unreachable';
  if (isLeftAlone(known, destination)) return onceState(known, destination);
  if (isOfAnother(known, destination)) return 'rejected';
  return isShut(destination, claim, known.run) ? 'unreachable' : shown(known.run, destination);
}

/** The destinations of an Application with a rollout, and what each of them shows of the current revision. */
export function membersOf(application: ApplicationMemory, given: Given): readonly Member[] {
  const { rollout = {} } = application.object.spec;
  const { destinations, missing } = application.expanded;
  return [...destinations, ...missing].map((destination) => {
    const claim = given.claims.find((each) => each.destination.id === destination.id);
    const key = claim?.key ?? destination.id;
    const stage = stageOf(rollout, destination);
    const doubt = mayBeRejected(application, claim, given);
    return { destination, key, stage, state: stateOf(application, destination, given), mayBeRejected: doubt };
  });
}
