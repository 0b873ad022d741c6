import isEqual from 'lodash/isEqual.js';
import {
  CLUSTER_REPLACED,
  CLUSTER_UNREACHABLE,
  KUBECONFIG_NOT_FOUND,
  OBJECTS_MISSING,
  OWNER_UNKNOWN,
  RELEASE_HELD,
} from '#api/flux/conditions.js';
import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { type DestinationState, STATES } from '#api/v1alpha1/states.js';
import { clusterText } from '../child/cluster.js';
import { currentCondition, isAt, isInstalledFor } from '../child/metadata.js';
import type { Child, DesiredChild, Entry, RejectedEntry } from '../child/types.js';
import {
  childMessage,
  isChartStalled,
  isSourceStalled,
  isTerminating,
  sourceFailure,
  stateOf,
} from '../children/state.js';
import type { Destination } from '../children/world.js';
import { gateHold } from '../destinations/personal-values.js';
import { recordIn } from '../rollout/status.js';
import type { Target, TargetState } from '../rollout/types.js';
import { historyLimit, type NamedRevisions, parseRevision } from '../spec/history.js';
import { pinnedRevisions, type Pins } from '../spec/pins.js';

/** Each is expanded to all clusters; what is older is left unchanged. */
const MAX_CONTENTS = 10;

/** The part of the history of an Application that a pass needs. */
export interface Needed extends NamedRevisions {
  /** False: it keeps none, and does not ask for one. */
  readonly isAsked: boolean;
  /** Revisions whose content is needed while `current` is the newest one; undefined: the spec is none yet. */
  readonly contents: (current: number | undefined) => readonly number[];
}

/** Once a rollout is complete, nothing goes back to the last good revision. */
function isComplete({ status }: Application, current: number | undefined): boolean {
  const record = recordIn(status?.rollout);
  return record?.completedAt !== undefined && record.revision === current;
}

/** `owned` are the children, each with the number of the revision that it was written from. */
export function neededRevisions(application: Application, pins: Pins, owned: readonly Child[]): Needed {
  const pinned = pinnedRevisions(pins);
  const inUse = owned.flatMap(({ metadata }) => parseRevision(metadata.annotations?.[APPLICATION_REVISION]) ?? []);
  const lastGood = recordIn(application.status?.rollout)?.lastGood ?? [];
  const used = new Set([...pinned, ...inUse, lastGood].flat());
  // Where a rollout is complete, those are held that have an earlier revision: they took no part in it.
  const heldAt = (current: number | undefined): Iterable<number> => {
    if (application.spec.rollout === undefined) return pinned;
    return isComplete(application, current) ? new Set([...pinned, ...inUse]) : used;
  };
  return {
    isAsked: historyLimit(application) > 0 || pins.problem !== undefined || pinned.size > 0,
    used,
    pinned,
    contents: (current) => {
      const numbers = [...heldAt(current)].filter((number) => number !== current);
      return numbers.sort((one, other) => other - one).slice(0, MAX_CONTENTS);
    },
  };
}

/** Reasons of a child whose engine has no access to the right cluster, so it could not try the revision. */
const NO_ACCESS: readonly string[] = [KUBECONFIG_NOT_FOUND, 'KubeConfigInvalid', 'RESTClientError', CLUSTER_REPLACED];

/** Reasons of a child whose engine could not try the revision: they say nothing about it, and are retried. */
const UNTRIED: readonly string[] = [
  'ArtifactFailed',
  'ProcessFailed',
  'ProcessTimeout',
  'FactoryError',
  'InternalError',
  OWNER_UNKNOWN,
];

/**
 * It waits until another child has left the release, e.g. under the old name of its cluster, so it has not tried the
 * revision. What belongs to another Application is rejected before.
 */
function isReleaseHeld(live: Child): boolean {
  return currentCondition(live, 'Ready')?.reason === RELEASE_HELD;
}

/** It was deployed, so what somebody deleted since is no failure of the revision. It proves nothing either. */
function isEmptied(live: Child): boolean {
  return currentCondition(live, 'Ready')?.reason === OBJECTS_MISSING;
}

/** What is known of the destination of an entry. */
export interface TargetView {
  readonly entry: Entry;
  readonly live: Child | undefined;
  /** The child as the new revision wants it; undefined: the entry was rejected. */
  readonly wanted: DesiredChild | undefined;
  /** The child as the previous revision wants it, if that has the destination. */
  readonly previous: DesiredChild | undefined;
  /** True for what is pinned. */
  readonly isPinned: boolean;
  /** The HelmChart of the live child. */
  readonly chart?: Child | undefined;
  /** The source of the live child that was made for an inline one. */
  readonly source?: Child | undefined;
  /** Why the entry was rejected. */
  readonly violation?: string;
  /** True if an uninstall with the credential that it would use cannot reach the cluster. */
  readonly isCutOff?: boolean;
}

/** What takes no part was installed once, is suspended by the new revision itself, or its cluster is paused. */
function isLeft({ entry, live, wanted, isPinned }: TargetView): boolean {
  if (isInstalledFor(entry, live)) return true;
  return isPinned || entry.cluster?.isPaused === true || wanted?.object.spec.suspend === true;
}

function liveState(live: Child, { chart, source }: TargetView): DestinationState {
  return stateOf({
    ...{ child: live, rejected: false, writeFailed: false },
    chartFailed: isChartStalled(live, chart),
    sourceFailed: isSourceStalled(source) && sourceFailure(live, source) !== undefined,
  });
}

/** A path that the revision names is its own fault, although engines give the reason of a lost artifact for it. */
const WRONG_PATH = /^kustomization path not found|leads out of the source/;

function couldNotTry(live: Child): boolean {
  const { reason = '', message = '' } = currentCondition(live, 'Ready') ?? {};
  return UNTRIED.includes(reason) && !WRONG_PATH.test(message);
}

function stateFor(view: TargetView): TargetState {
  const { live, wanted } = view;
  if (isLeft(view)) return 'left';
  if (wanted === undefined) return 'rejected';
  if (live === undefined) return 'absent';
  if (!isAt(live, wanted)) return 'outdated';
  const found = liveState(live, view);
  const isUntried = found === 'Failed' && (couldNotTry(live) || isEmptied(live));
  return isUntried || isReleaseHeld(live) ? 'updating' : STATES[found].rollout;
}

/** Its child was written from the very revision that is wanted. */
function isOfRevision({ live, wanted }: TargetView): boolean {
  const numberOf = (child: Child | undefined): string | undefined =>
    child?.metadata.annotations?.[APPLICATION_REVISION];
  return live !== undefined && wanted !== undefined && numberOf(live) === numberOf(wanted.object);
}

/** The engine cannot reach the cluster with the child's kubeconfig, and the desired child has the same one. */
function lacksAccess(live: Child, wanted: DesiredChild | undefined): boolean {
  if (!NO_ACCESS.includes(currentCondition(live, 'Ready')?.reason ?? '')) return false;
  return wanted === undefined || isEqual(wanted.object.spec.kubeConfig, live.spec.kubeConfig);
}

/** Reasons of an uninstall that only its cluster, or the content of its credential, keeps from its end. */
const OUT_OF_REACH: readonly string[] = [CLUSTER_UNREACHABLE, 'KubeConfigInvalid', 'RESTClientError'];

/** Its engine tries to uninstall it, and says that it cannot reach the cluster. */
function isStuckThere({ live }: Pick<Destination, 'live'>): boolean {
  if (live === undefined || !isTerminating(live) || live.spec.suspend === true) return false;
  return OUT_OF_REACH.includes(currentCondition(live, 'Ready')?.reason ?? '');
}

/** Nothing can be installed on a cluster that is not ready; of one that runs something, its engine says more. */
function isReachable({ entry, live, wanted, isCutOff }: TargetView, state: string | undefined): boolean {
  if (live !== undefined) return state !== 'Unreachable' && !lacksAccess(live, wanted);
  if (isCutOff === true) return false;
  return gateHold(entry) === undefined && entry.cluster?.credential.type !== 'none';
}

function failureOf({ live, source }: TargetView, state: DestinationState | undefined): string | undefined {
  if (live === undefined || state === undefined || STATES[state].rollout !== 'failed') return undefined;
  return sourceFailure(live, source) ?? childMessage(live, state);
}

/** A destination as the rules of a rollout see it; `stage` is the index of its stage. */
export function targetOf(view: TargetView, stage: number): Target {
  const { entry, live, previous } = view;
  const state = live === undefined ? undefined : liveState(live, view);
  const found = state && STATES[state].rollout;
  return {
    id: entry.path,
    cluster: entry.clusterName,
    stage,
    state: stateFor(view),
    isAvailable: found === 'ready',
    isFailed: found === 'failed',
    isReachable: isReachable(view, state),
    isAtPrevious: isAt(live, previous),
    hasPrevious: previous !== undefined && previous.held === undefined,
    problem: view.violation ?? failureOf(view, state),
    ...(isInstalledFor(entry, live) ? { isOnce: true, hasProven: isOfRevision(view) } : {}),
  };
}

/** All destinations: a rejected one has no desired child. */
export function viewsOf(
  wanted: readonly DesiredChild[],
  rejected: readonly RejectedEntry[],
  more: {
    readonly destinations: readonly Pick<Destination, 'live' | 'chart' | 'source'>[];
    readonly previousOf: (desired: DesiredChild) => DesiredChild | undefined;
    readonly isPinned: (entry: Entry) => boolean;
  },
): TargetView[] {
  const cutOff = new Set(more.destinations.filter(isStuckThere).map(({ live }) => clusterText(live?.spec.kubeConfig)));
  const byChild = new Map(more.destinations.map((each) => [each.live, each]));
  const accepted = wanted.map((each): TargetView => {
    const { entry, live } = each;
    const { chart, source } = (live && byChild.get(live)) ?? {};
    return {
      entry,
      live,
      wanted: each,
      previous: more.previousOf(each),
      isPinned: more.isPinned(entry),
      chart,
      source,
      isCutOff: cutOff.has(clusterText(each.object.spec.kubeConfig)),
    };
  });
  const refused = rejected.map(({ entry, live, violation: { message } }): TargetView => {
    return { entry, live, wanted: undefined, previous: undefined, isPinned: more.isPinned(entry), violation: message };
  });
  return [...accepted, ...refused];
}
