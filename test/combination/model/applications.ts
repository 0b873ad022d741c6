import { ABANDON, isBeingDeleted, isOrphaning, PIN, PIN_CLUSTERS, policyIn } from './objects.js';
import type { Act, ApplicationName, ApplicationObject, Moment, MomentIndex, World } from './facts.js';
import { expand, type Expanded } from './destinations.js';
import type { RuleName } from './rules.js';
import { nameOf, wishOf, type Wish } from './wish.js';

/** A revision: what an Application wanted, from one moment until the next revision. */
export interface Revision {
  readonly wish: Wish;
  readonly since: MomentIndex;
}

interface Pin {
  /** Undefined: a revision that nobody knows. */
  readonly revision: Revision | undefined;
  /** True if revisions may have other numbers by now: the Application was restored, maybe without its status. */
  readonly isDoubtful?: boolean;
}

const doubtful = (pin: Pin): Pin => ({ ...pin, isDoubtful: true });

interface Approval {
  readonly stage: string;
  readonly revision: Revision | undefined;
  readonly isUnproven: boolean;
}

/** The model's memory of one Application. */
export interface ApplicationMemory {
  readonly name: ApplicationName;
  /** As it was seen last. */
  readonly object: ApplicationObject;
  readonly exists: boolean;
  /** True while it is being deleted itself, or with its namespace; it stays true when the object is gone. */
  readonly isLeaving: boolean;
  /** True if it vanished, or its finalizer was removed, without waiting for its children. */
  readonly isLost: boolean;
  /** True if `kubectl delete --cascade=orphan` deletes it: who lets go of the children takes the sign of it away. */
  readonly isCascaded: boolean;
  /** True if the policy was `Orphan` when the controllers were done, and stayed so. */
  readonly wasOrphan: boolean;
  /** When this Application, by its UID, was first seen. */
  readonly since: MomentIndex;
  /** True if the one before it, of the same name, left its releases behind for certain. */
  readonly isAfterOrphan: boolean;
  /** All revisions, oldest first. There is at least one. */
  readonly revisions: readonly Revision[];
  /** The text of the wish that was kept last; undefined: none was. */
  readonly kept: string | undefined;
  /** Set while the Application as a whole is left unchanged; that makes no revision. */
  readonly stalled?: RuleName | undefined;
  /** The objects when it was seen last. */
  readonly world: World;
  /** The spec, expanded to the clusters of this moment. */
  readonly expanded: Expanded;
  readonly pin?: Pin | undefined;
  readonly clusterPins: ReadonlyMap<string, Pin>;
  readonly approvals: readonly Approval[];
  /** Keys of targets whose removal or reinstallation a user approved. */
  readonly approved: ReadonlySet<string>;
}

/** The revision that the Application wants now, whatever it is pinned to. */
export const currentOf = ({ revisions }: ApplicationMemory): Revision => revisions.at(-1)!;

/** False while the current revision cannot be written: nothing is updated to it. */
export const isCurrentKept = (application: ApplicationMemory): boolean =>
  application.kept === currentOf(application).wish.text;

/** The revision that was the current one at a moment. */
function revisionAt({ revisions }: ApplicationMemory, moment: MomentIndex): Revision | undefined {
  return revisions.filter(({ since }) => since <= moment).at(-1);
}

function begun(object: ApplicationObject, moment: Moment, index: MomentIndex): ApplicationMemory {
  const wish = wishOf(object, moment.world);
  return {
    name: nameOf(object),
    object,
    exists: true,
    isLeaving: false,
    isLost: false,
    isCascaded: false,
    wasOrphan: false,
    since: index,
    isAfterOrphan: false,
    revisions: [{ wish, since: index }],
    kept: undefined,
    stalled: wish.stalled,
    world: moment.world,
    expanded: expand(wish, moment.world),
    clusterPins: new Map(),
    approvals: [],
    approved: new Set(),
  };
}

function withPin(before: ApplicationMemory, cluster: string | undefined, pin: Pin | undefined): ApplicationMemory {
  if (cluster === undefined) return { ...before, pin };
  const clusterPins = new Map(before.clusterPins);
  if (pin === undefined) clusterPins.delete(cluster);
  else clusterPins.set(cluster, pin);
  return { ...before, clusterPins };
}

/** Adds an act of a user that the objects don't show. */
function withAct(before: ApplicationMemory, act: Act): ApplicationMemory {
  switch (act.do) {
    case 'pin': {
      const revision = act.revision === undefined ? undefined : revisionAt(before, act.revision);
      return withPin(before, act.cluster, { revision });
    }
    case 'unpin':
      return withPin(before, act.cluster, undefined);
    case 'approveStage': {
      const { stage, revision, unproven = false } = act;
      const approval = { stage, revision: revisionAt(before, revision), isUnproven: unproven };
      return { ...before, approvals: [...before.approvals, approval] };
    }
    case 'removeFinalizer':
      return { ...before, isLost: true };
    default:
      return before;
  }
}

/** True if nothing changed that a wish and its destinations are made of: objects are shared between moments. */
function isAsBefore({ object, world }: ApplicationMemory, now: ApplicationObject, { world: after }: Moment): boolean {
  const { templates, clusters, unreadKinds } = world;
  const isSameWorld = templates === after.templates && clusters === after.clusters;
  return object === now && isSameWorld && unreadKinds === after.unreadKinds;
}

/** There is a new revision only if the Application wants something else, and it is known what. */
function revised(before: ApplicationMemory, object: ApplicationObject, moment: Moment, index: MomentIndex) {
  const { world } = moment;
  const { revisions, stalled, expanded } = before;
  if (isAsBefore(before, object, moment)) return { revisions, stalled, expanded, world };
  const wish = wishOf(object, world);
  const isNew = wish.stalled === undefined && wish.text !== currentOf(before).wish.text;
  return {
    revisions: isNew ? [...revisions, { wish, since: index }] : revisions,
    stalled: wish.stalled,
    expanded: expand(wish, world),
    world,
  };
}

/** The pins of another Application of the name: a restored one has its annotations, a new one has none. */
function pinsAfter({ pin, clusterPins }: ApplicationMemory, { metadata }: ApplicationObject) {
  const { [PIN]: all, [PIN_CLUSTERS]: single } = metadata.annotations ?? {};
  return {
    pin: all === undefined ? undefined : pin && doubtful(pin),
    clusterPins: new Map(single === undefined ? [] : [...clusterPins].map(([name, each]) => [name, doubtful(each)])),
  };
}

/** The policy that holds for a deletion: `kubectl delete --cascade=orphan` overrides the spec. */
export function policyOf({ isCascaded, object }: Pick<ApplicationMemory, 'isCascaded' | 'object'>) {
  return isCascaded ? 'Orphan' : policyIn(object);
}

function seen(before: ApplicationMemory, object: ApplicationObject, moment: Moment, index: number): ApplicationMemory {
  const isOther = before.object.metadata.uid !== object.metadata.uid;
  const known = isOther
    ? {
        ...begun(object, moment, index),
        // With the object of before, the wish of this one is a revision at once.
        ...{ object: before.object, revisions: before.revisions, approved: before.approved },
        ...pinsAfter(before, object),
        isAfterOrphan: before.wasOrphan && before.isLeaving,
      }
    : before;
  const isCascaded = known.isCascaded || (isOrphaning(object) && object.metadata.deletionTimestamp !== undefined);
  const isOrphan = policyOf({ isCascaded, object }) === 'Orphan';
  const news = revised(known, object, moment, index);
  return {
    ...known,
    ...news,
    kept: moment.world.refusesRevisions === true ? known.kept : news.revisions.at(-1)?.wish.text,
    object,
    exists: true,
    isLeaving: isBeingDeleted(object, moment.world),
    isLost: known.isLost && !isOther,
    isCascaded,
    wasOrphan: isOrphan && (known.wasOrphan || moment.isSettled),
  };
}

/** The object is gone. One that nobody saw leaving did not wait for its children. */
function vanished(before: ApplicationMemory): ApplicationMemory {
  if (!before.exists) return before;
  return { ...before, exists: false, isLost: before.isLost || !before.isLeaving, isLeaving: true };
}

export type Applications = ReadonlyMap<ApplicationName, ApplicationMemory>;

/** Updates the memory of all Applications with one more moment. */
export function rememberApplications(before: Applications, moment: Moment, index: MomentIndex): Applications {
  const after = new Map<ApplicationName, ApplicationMemory>();
  for (const [name, memory] of before) after.set(name, vanished(memory));
  for (const object of moment.world.applications) {
    const known = before.get(nameOf(object));
    const memory = known === undefined ? begun(object, moment, index) : known;
    after.set(nameOf(object), seen(memory, object, moment, index));
  }
  const { act } = moment;
  const named = act !== undefined && 'application' in act ? after.get(act.application) : undefined;
  if (act !== undefined && named !== undefined) after.set(named.name, withAct(named, act));
  return after;
}

/** True if `abandon` of the Application names the cluster, or all clusters. */
export function isAbandoned({ object }: ApplicationMemory, clusterName: string): boolean {
  const names = (object.metadata.annotations?.[ABANDON] ?? '').split(',').map((name) => name.trim());
  return names.includes('true') || names.includes(clusterName);
}
