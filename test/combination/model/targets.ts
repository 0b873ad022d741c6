import { keyOf, type Content } from './content.js';
import type { Applications } from './applications.js';
import type { Destination } from './destinations.js';
import type { ApplicationName, Moment, MomentIndex, PlainObject, Run, Target } from './facts.js';
import { isOutOfReach, onceNow } from './once.js';
import { locate, type Located, type Records } from './records.js';
import { isPinned } from './verdict.js';

/** The model's memory of one target. */
export interface TargetMemory {
  readonly target: Target;
  /** The destination that wanted it last. */
  readonly last?: Destination | undefined;
  /** When a destination wanted it last. */
  readonly lastAt?: MomentIndex | undefined;
  /** The destination before, if it was of another Application or cluster object, and what it installed still runs. */
  readonly movedFrom?: Destination | undefined;
  /** Name of an Application, or `user` for a HelmRelease or Kustomization of a user. */
  readonly owner?: ApplicationName | undefined;
  /** False if two came at about the same time. */
  readonly isOwnerCertain: boolean;
  /** True while two Applications want a release, and the newer one may have had a child first. */
  readonly isContested: boolean;
  readonly run?: Run | undefined;
  /** The last content that ran there. */
  readonly content?: Content | undefined;
  /** Since when something runs there; undefined if nothing does. */
  readonly installedAt?: MomentIndex | undefined;
  /** True if it was Ready with `mode: Once`, and nothing has ended that since. */
  readonly isOnce: boolean;
  /** True if the controllers had the time to record that. */
  readonly isOnceRecorded: boolean;
  /** True if its child was deleted since it was installed once, or may have been: nothing wanted it for a while. */
  readonly isOnceDoubtful: boolean;
  /** True while a HelmRelease of a user waits for what an Application has and no longer wants. */
  readonly isAwaited: boolean;
  /** True if its destination was suspended, and not rejected, when the controllers were done. */
  readonly wasSuspended: boolean;
  /** The same for `prune: false`. */
  readonly wasKept: boolean;
  /** True from the deletion of its child by a user until the controllers are done. */
  readonly isChildDeleted: boolean;
}
export type Targets = ReadonlyMap<string, TargetMemory>;

/** Everything that wants a target now. */
export interface Claim {
  /** Key of the target. */
  readonly key: string;
  readonly target: Target;
  readonly destination: Destination;
  readonly located: Located;
}

function claim(destination: Destination, records: Records): Claim[] {
  const located = locate(destination, records);
  if (located.uid === undefined) return [];
  const target = { ...destination.place, cluster: located.uid };
  return [{ key: keyOf(target), target, destination, located }];
}

/** The claims of all Applications that are not being deleted, on the clusters that their destinations are for. */
export function claimsOf(applications: Applications, records: Records): Claim[] {
  const living = [...applications.values()].filter(({ exists, isLeaving }) => exists && !isLeaving);
  return living.flatMap(({ expanded }) => expanded.destinations.flatMap((each) => claim(each, records)));
}

/** True for a claim on a target. Where a name leads now counts, too, unless its child was made for another cluster. */
export function mayMean({ key, located, destination: { place, leadsTo } }: Claim, target: string): boolean {
  const now = located.isCertain || leadsTo === undefined ? key : keyOf({ ...place, cluster: leadsTo });
  return key === target || now === target;
}

/** True if the engines see that a plain object applies what a target is: the storage of a release doesn't matter. */
export function applies({ target: other }: PlainObject, target: Target): boolean {
  return keyOf({ ...other, storage: '' }) === keyOf({ ...target, storage: '' });
}

/** The owner keeps a target while it still wants it. Without anybody else, it stays the owner of what is to be removed. */
function ownerOf(owner: TargetMemory['owner'], claims: readonly Claim[], plain: readonly PlainObject[]) {
  const claimants = claims.map(({ destination }) => destination.application);
  const candidates = plain.length > 0 ? ['user', ...claimants] : claimants;
  if (candidates.length === 0 || (owner !== undefined && candidates.includes(owner))) return owner;
  if (plain.length > 0) return 'user';
  // Entries of one name never got a child, so that they own nothing.
  return claims.find(({ destination }) => destination.rejected !== 'sharedName')?.destination.application ?? owner;
}

const ageOf = ({ destination }: Claim, { applications }: News): string =>
  applications.get(destination.application)?.object.metadata.creationTimestamp ?? '';

const isStalled = ({ destination }: Claim, { applications }: News): boolean =>
  applications.get(destination.application)?.stalled !== undefined;

/**
 * The claims on a release that was never installed which are as old as that of its owner, or older: the oldest is first. An
 * Application that is stalled as a whole keeps nobody from it.
 */
function rivalsOf({ run: ran }: TargetMemory, owner: TargetMemory['owner'], news: News): readonly Claim[] {
  const { target, claims, run } = news;
  const own = claims.find(({ destination }) => destination.application === owner);
  if (target.kind !== 'HelmRelease' || own === undefined || ran !== undefined || run !== undefined) return [];
  const isValid = (each: Claim): boolean => each.destination.rejected === undefined && !isStalled(each, news);
  const comesFirst = (each: Claim): boolean => ageOf(each, news) <= ageOf(own, news) || isStalled(own, news);
  const rivals = claims.filter((each) => each.destination.application !== owner && isValid(each) && comesFirst(each));
  return [...rivals].sort((one, other) => (ageOf(one, news) < ageOf(other, news) ? -1 : 1));
}

/** Nobody has a release that was never installed: it is for the oldest Application that wants it. */
function oldestOwner(before: TargetMemory, owner: TargetMemory['owner'], news: News): TargetMemory['owner'] {
  const [first] = rivalsOf(before, owner, news);
  const own = news.claims.find(({ destination }) => destination.application === owner);
  if (first === undefined || own === undefined) return owner;
  return ageOf(first, news) < ageOf(own, news) || isStalled(own, news) ? first.destination.application : owner;
}

/** True if the destination may have a child although nothing runs: nothing is tried there. */
const mayHaveChild = (destination: Destination): boolean => destination.isSuspended || isOutOfReach(destination);

/** Two of one age, or one that is older than what may have a child. */
function isContested(before: TargetMemory, owner: TargetMemory['owner'], news: News): boolean {
  if (new Set(news.claims.map(({ destination }) => destination.application)).size < 2) return false;
  const own = news.claims.find(({ destination }) => destination.application === owner);
  const isTied = rivalsOf(before, owner, news).some(
    (each) => own !== undefined && ageOf(each, news) === ageOf(own, news),
  );
  const isOther = before.owner !== undefined && before.owner !== 'user' && before.owner !== owner;
  return before.isContested || isTied || (isOther && before.last !== undefined && mayHaveChild(before.last));
}

/** All that a moment tells of one target. */
export interface News {
  /** True if a HelmRelease of a user has a record of its own of the same release. */
  readonly isShared: boolean;
  readonly target: Target;
  readonly claims: readonly Claim[];
  readonly plain: readonly PlainObject[];
  readonly run: Run | undefined;
  readonly applications: Applications;
  readonly moment: Moment;
  readonly index: MomentIndex;
}

function isDeletedChild({ act }: Moment, target: Target): boolean {
  return act?.do === 'deleteChild' && keyOf(act.target) === keyOf(target);
}

/** Returns the claim of the owner, or else the first one. */
function claimOf(claims: readonly Claim[], owner: string | undefined): Destination | undefined {
  return (claims.find(({ destination }) => destination.application === owner) ?? claims[0])?.destination;
}

function movedFrom(before: TargetMemory, destination: Destination | undefined, run: Run | undefined) {
  if (run === undefined) return undefined;
  const { last } = before;
  if (last === undefined || destination === undefined) return before.movedFrom;
  const isSame = last.clusterKey === destination.clusterKey && last.application === destination.application;
  return isSame ? before.movedFrom : last;
}

const contents = (before: TargetMemory, { run, index }: News) => ({
  run,
  content: run?.content ?? before.content,
  installedAt: run === undefined ? undefined : (before.installedAt ?? index),
});

/** True if the child says what its entry does. A rejected one leaves it unchanged, and a pinned one is as its revision. */
function isReached(destination: Destination, { applications, moment }: News): boolean {
  const application = applications.get(destination.application);
  const isHeld = application !== undefined && isPinned(application, destination.clusterName);
  return moment.isSettled && destination.rejected === undefined && !isHeld;
}

/** Whether the child was suspended, and whether it was not to prune, as its entry says. */
function given(before: TargetMemory, destination: Destination | undefined, news: News) {
  const { wasSuspended, wasKept } = before;
  if (destination === undefined) return { wasSuspended, wasKept };
  const { isSuspended, keepsFiles, application } = destination;
  const isNow = isReached(destination, news);
  // Running releases do not show which stage of a rollout has such an edit.
  const isAtOnce = news.applications.get(application)?.object.spec.rollout === undefined;
  const isMade = before.run === undefined && news.run !== undefined;
  return {
    wasSuspended: isSuspended && (isNow || wasSuspended),
    wasKept: keepsFiles && ((isAtOnce && isNow) || isMade || wasKept),
  };
}

/** True if an Application had the release first: a later HelmRelease of its namespace gets nothing until it is free. */
function isAwaitedNow(before: TargetMemory, { target, claims, plain, run, isShared }: News): boolean {
  const { owner } = before;
  if (target.kind !== 'HelmRelease' || run === undefined || isShared) return false;
  if (owner === undefined || owner === 'user' || claims.length > 0 || plain.length === 0) return false;
  const isNear = plain.every(({ namespace }) => owner.startsWith(`${namespace}/`));
  return isNear && (before.isOwnerCertain || before.isAwaited);
}

/** True if several Applications want to apply the same files: the first one that does has them. */
export function areShared({ kind }: Target, claims: readonly Claim[]): boolean {
  return kind === 'Kustomization' && new Set(claims.map(({ destination }) => destination.application)).size > 1;
}

/** Until an Application has installed what it wants, a plain object or, for files, another one may come first. */
function isOwnerCertain(before: TargetMemory, owner: TargetMemory['owner'], news: News): boolean {
  const { target, claims, plain, moment } = news;
  const hasRivals = (plain.length > 0 && owner !== 'user') || areShared(target, claims);
  const mayBeLate = hasRivals && (before.run === undefined || !before.isOwnerCertain);
  return !mayBeLate && ((before.isOwnerCertain && before.owner === owner) || moment.isSettled);
}

function rememberTarget(before: TargetMemory, news: News): TargetMemory {
  const { target, claims, plain, run, moment } = news;
  const isAwaited = isAwaitedNow(before, news);
  const owner = isAwaited ? before.owner : oldestOwner(before, ownerOf(before.owner, claims, plain), news);
  const destination = claimOf(claims, owner);
  const isDeleted = isDeletedChild(moment, target);
  return {
    target,
    last: destination ?? before.last,
    lastAt: destination === undefined ? before.lastAt : news.index,
    movedFrom: movedFrom(before, destination, run),
    owner,
    isAwaited,
    isOwnerCertain: !isAwaited && isOwnerCertain(before, owner, news),
    isContested: isContested(before, owner, news),
    ...contents(before, news),
    ...onceNow(before, destination, news),
    isOnceDoubtful: before.isOnce && (before.isOnceDoubtful || isDeleted || destination === undefined),
    ...given(before, destination, news),
    isChildDeleted: isDeleted || (before.isChildDeleted && !moment.isSettled),
  };
}

const UNKNOWN: Omit<TargetMemory, 'target'> = {
  isAwaited: false,
  isOwnerCertain: false,
  isContested: false,
  isOnce: false,
  isOnceRecorded: false,
  isOnceDoubtful: false,
  wasSuspended: false,
  wasKept: false,
  isChildDeleted: false,
};

interface Step {
  readonly applications: Applications;
  readonly claims: readonly Claim[];
  readonly moment: Moment;
  readonly index: MomentIndex;
}

function groupedBy<Item>(items: readonly Item[], keyFor: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyFor(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** Updates the memory of all targets with one more moment. */
export function rememberTargets(before: Targets, { applications, claims, moment, index }: Step): Targets {
  const { plain } = moment.world;
  const runs = groupedBy(moment.runs, ({ target }) => keyOf(target));
  const claimed = groupedBy(claims, ({ key }) => key);
  const all = new Map<string, Target>([...before].map(([key, { target }]) => [key, target]));
  for (const [key, [run]] of runs) if (run !== undefined) all.set(key, run.target);
  for (const { key, target } of claims) all.set(key, target);
  for (const { target } of plain) all.set(keyOf(target), target);
  const after = new Map<string, TargetMemory>();
  for (const [key, target] of all) {
    const same = plain.filter((each) => applies(each, target));
    const news = {
      target,
      claims: claimed.get(key) ?? [],
      plain: same,
      isShared: same.some((each) => keyOf(each.target) !== key && runs.has(keyOf(each.target))),
      run: runs.get(key)?.[0],
      applications,
      moment,
      index,
    };
    after.set(key, rememberTarget(before.get(key) ?? { ...UNKNOWN, target }, news));
  }
  return after;
}
