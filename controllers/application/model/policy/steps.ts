import pick from 'lodash/pick.js';
import type { PendingReason } from '#api/v1alpha1/pending.js';
import { groupedBy } from '#lib/plain.js';
import { type ClusterIndex, clusterText } from '../child/cluster.js';
import { describeChild } from '../child/messages.js';
import { isInstalledFor, isInstalledOnce, offeredTo } from '../child/metadata.js';
import type { Child, DesiredChild } from '../child/types.js';
import { firstVerdict, type Step, type Verdict } from '../child/verdicts.js';
import { type PossibleMatchesInput } from '../children/possible-matches.js';
import { ReleaseHolders } from '../children/release-holders.js';
import { isTerminating } from '../children/state.js';
import type { Departures } from '../clusters/departures.js';
import { otherNameFinder } from '../clusters/possible-names.js';
import {
  certainUid,
  certainUidOf,
  describeBeside,
  type Held,
  mayLetGo,
  ReleasesByUid,
  whyShared,
} from '../clusters/same-release.js';
import { heldReleaseKeys, liveReleaseKey, newReinstallationOf, workText } from '../destinations/identity.js';
import type { DestinationFacts } from './destinations.js';
import type { LeftoverFacts } from './leftovers.js';
import type { Policy } from './policy.js';
import { isAdoption } from './why-written.js';

/** The input of the steps. */
export interface StepsInput
  extends
    Pick<PossibleMatchesInput, 'desired' | 'rejected' | 'legacyMayGo'>,
    Pick<LeftoverFacts, 'complete' | 'possibleMatches' | 'access' | 'unsettled' | 'whyStaged' | 'held' | 'keeperOf'>,
    Pick<DestinationFacts, 'revisions'> {
  /** Children of the Application without an entry. */
  readonly leftovers: readonly Child[];
  readonly departures: Departures;
  /** Those that go without an uninstall once another name of their cluster has their release: nothing waits for them. */
  readonly awaiting: ReadonlySet<Child>;
  /** See `OtherNames`. */
  readonly namesBeside: (child: Child) => ReadonlySet<string>;
  readonly clusters: ClusterIndex;
  /** Why an entry may have the release of a child under another name of its cluster; undefined: that is settled. */
  readonly whyMayBeKept: (live: Child) => string | undefined;
}

/** The later state of its child, once nothing is in the way. */
function laterOf({ entry, live, later }: DesiredChild): { later?: Child } {
  if (later === undefined) return {};
  if (live === undefined) return { later };
  return isTerminating(live) || isInstalledFor(entry, live) ? {} : { later };
}

function waitStep(desired: DesiredChild, { why, hold }: { readonly why: string; readonly hold: PendingReason }): Step {
  const { entry, object, live } = desired;
  return { op: 'wait', entry, live, why, hold, ...laterOf({ ...desired, later: desired.later ?? object }) };
}

type Deed = Extract<Verdict, { readonly do: unknown }>;

function writeStep({ live, ...desired }: DesiredChild & { readonly live: Child }, why: string): Step {
  const { entry, object } = desired;
  const uninstalls = newReinstallationOf(live, object)?.why;
  const step = { op: 'update', entry, object, live, why, isAdoption: isAdoption(live, object) } as const;
  return { ...step, ...laterOf({ ...desired, live }), ...(uninstalls === undefined ? {} : { uninstalls }) };
}

const WRITING: readonly Deed['do'][] = ['update', 'adopt', 'reinstall'];

function deedStep(desired: DesiredChild, deed: Deed): Step {
  const { entry, object, live } = desired;
  const { why } = deed;
  // Without a child, nothing but its creation can be carried out; nothing else is asked of one that is there.
  if (live === undefined) {
    return deed.do === 'create' ? { op: 'create', entry, object, why } : waitStep(desired, { why, hold: 'Release' });
  }
  if (deed.do === 'unmanage') return { op: 'unmanage', entry, live, why };
  if (WRITING.includes(deed.do)) return writeStep({ ...desired, live }, why);
  const hold = deed.do === 'keep' ? deed.hold : undefined;
  return { op: 'keep', entry, live, why, ...(hold === undefined ? {} : { hold, ...laterOf(desired) }) };
}

/** The step that carries a verdict out on the destination of an entry. */
function stepFor(desired: DesiredChild, verdict: Verdict | undefined): Step {
  if (verdict === undefined) return waitStep(desired, { why: 'no rule applies to it', hold: 'Release' });
  if ('reject' in verdict) return waitStep(desired, { why: verdict.reject.message, hold: 'Release' });
  return 'do' in verdict ? deedStep(desired, verdict) : waitStep(desired, verdict);
}

type Removal = Extract<Step, { op: 'delete' | 'suspend' | 'offer' | 'spare' }>;

/** The step that carries a verdict out on a child without an entry; without a verdict, it stays. */
export function removalFor(live: Child, verdict: Verdict | undefined): Removal {
  if (verdict === undefined || 'reject' in verdict) return { op: 'spare', live, why: 'no rule applies to it' };
  const { why } = verdict;
  if ('do' in verdict && verdict.do === 'offer') {
    const { to, hold } = verdict;
    return offeredTo(live) === to ? { op: 'spare', live, why, hold } : { op: 'offer', live, why, to, hold };
  }
  if ('do' in verdict && (verdict.do === 'delete' || verdict.do === 'suspend')) return { op: verdict.do, live, why };
  return { op: 'spare', live, why, ...('hold' in verdict ? pick(verdict, 'hold') : {}) };
}

function liveOf(destinations: readonly { readonly live: Child | undefined }[]): Child[] {
  return destinations.flatMap(({ live }) => live ?? []);
}

/** The children that stay, by their live and desired work. */
function stayingChildren({ desired, rejected }: StepsInput): Map<string, Child> {
  const wanted = desired.flatMap(({ object, live }) =>
    live === undefined ? [] : [[workText(live), live] as const, [workText(object), live] as const],
  );
  return new Map([...wanted, ...liveOf(rejected).map((child) => [workText(child), child] as const)]);
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The cluster of a spared child without any entry may have another name now. */
function holdersOf(input: StepsInput, leaving: readonly Child[]): ReleaseHolders {
  const { desired, rejected, leftovers, namesBeside } = input;
  const entries = [...desired, ...rejected].map(({ entry }) => entry);
  const clusters = new Set(entries.map(({ release }) => release.cluster));
  const going = new Set(leaving);
  const spared = leftovers.filter((child) => !going.has(child));
  const isLost = (child: Child): boolean =>
    !clusters.has(clusterText(child.spec.kubeConfig)) && !input.awaiting.has(child);
  const staying = [...matchedOf(input), ...spared.filter((child) => !isLost(child))];
  const waiting = new Set(spared);
  return new ReleaseHolders({
    going: [...leaving, ...spared.filter(isLost)],
    staying,
    // What leaves waits for these, and so they cannot wait for it.
    namesBeside: (child) => (waiting.has(child) ? namesBeside(child) : NO_NAMES),
    uidOfChild: (child) => certainUid(child, input.clusters),
    uidOfEntry: (entry) => certainUidOf(entry, input.clusters),
  });
}

/** The children that entries match. */
function matchedOf({ desired, rejected }: StepsInput): Child[] {
  return liveOf([...desired, ...rejected]);
}

const heldNow = (child: Child): Held => [child, [liveReleaseKey(child)]];

function staysForNow({ op, live }: Removal): boolean {
  return (op === 'spare' || op === 'offer') && !isTerminating(live);
}

/** Another Application must not take a child over about which something else is decided now. */
function removalOrWithdrawal(live: Child, verdict: Verdict | undefined, { complete }: StepsInput): Removal {
  const removal = removalFor(live, verdict);
  const isOffer = verdict !== undefined && 'do' in verdict && verdict.do === 'offer';
  if (isOffer || !complete || offeredTo(live) === undefined || isTerminating(live)) return removal;
  return { op: 'offer', live, why: removal.why, hold: 'Removal' };
}

/** The release of one that was installed once stays for good. */
function keepsForNow(removal: Removal): boolean {
  return staysForNow(removal) || (removal.op === 'suspend' && isInstalledOnce(removal.live));
}

/** Why a child stays until another one, which is for its release, is settled; `why` that one stays. */
function whyDelayed(beside: Child, why = ''): string {
  return `until ${describeChild(beside)}, which is for the same release, is deleted or settled (it stays: ${why})`;
}

/** The children without an entry. What one that stays has must not be uninstalled by another name of its cluster. */
function removalsOf({ leftovers: rules }: Policy, input: StepsInput) {
  const facts = { ...input, stayingByWork: stayingChildren(input), whyDelayed: () => undefined };
  const decide = (child: Child, more: Partial<LeftoverFacts>): Removal =>
    removalOrWithdrawal(child, firstVerdict(rules, child, { ...facts, ...more }), input);
  const first = input.leftovers.map((child) => decide(child, {}));
  const staying = new ReleasesByUid(input.clusters, () =>
    [...matchedOf(input), ...first.filter(keepsForNow).map(({ live }) => live)]
      .filter((child) => !isTerminating(child))
      .map(heldNow),
  );
  const whyStays = new Map(first.map(({ live, why }) => [live, why] as const));
  const matched = new Set(matchedOf(input));
  const delayed: Child[] = [];
  const removals = first.map((removal): Removal => {
    const { op, live } = removal;
    // One that is suspended uninstalls nothing.
    const mayTake = op === 'delete' && live.spec.suspend !== true && input.keeperOf(live) === undefined;
    const beside = mayTake ? staying.beside(live, heldReleaseKeys(live)) : undefined;
    if (beside === undefined) return removal;
    const isOpen = !matched.has(beside) && mayLetGo(beside, input.clusters);
    // Its later uninstall must harm nothing new.
    if (isOpen) delayed.push(live);
    const more = isOpen
      ? { whyDelayed: () => whyDelayed(beside, whyStays.get(beside)) }
      : { keeperOf: () => describeBeside(beside) };
    return decide(live, more);
  });
  return { removals, delayed };
}

/** The releases that children hold under other names of their clusters, until their engines have left them. */
function heldBesideOf(input: StepsInput): DestinationFacts['heldBeside'] {
  const releases = new ReleasesByUid(input.clusters, () => {
    const going = input.leftovers.filter((child) => isTerminating(child) && child.spec.suspend !== true);
    return [...matchedOf(input), ...going].map((child): Held => [child, heldReleaseKeys(child)]);
  });
  return (object) => releases.beside(object);
}

/** The steps of entries. Which of them keep their releases is known once each was decided about without the others. */
function entrySteps(
  { destinations: rules }: Policy,
  input: StepsInput,
  facts: DestinationFacts,
  /** The children without an entry that stay, and why. */
  spared: ReadonlyMap<Child, string>,
): Step[] {
  const decide = (desired: DesiredChild, more: DestinationFacts): Step =>
    stepFor(desired, firstVerdict(rules, desired, more));
  const steps = input.desired.map((desired) => decide(desired, facts));
  const releases = new ReleasesByUid(input.clusters, () => {
    const kept = steps.flatMap((step): Held[] => {
      if (!('live' in step) || step.live === undefined || isTerminating(step.live)) return [];
      return [step.op === 'update' ? [step.live, [liveReleaseKey(step.object)]] : heldNow(step.live)];
    });
    return [...kept, ...[...liveOf(input.rejected), ...spared.keys()].map(heldNow)];
  });
  const whyKept = (live: Child): string | undefined => {
    const other = releases.beside(live);
    return other === undefined ? input.whyMayBeKept(live) : whyShared(live, other, spared.get(other));
  };
  return input.desired.map((desired, at) => {
    const step = steps[at];
    if (step === undefined) return decide(desired, facts);
    const uninstalls =
      step.op === 'update' ? step.uninstalls !== undefined : step.op === 'wait' && step.hold === 'Removal';
    return uninstalls ? decide(desired, { ...facts, whyKept }) : step;
  });
}

/**
 * One step per child, in the order of the entries, deletes last. A child waits while another one holds its release, and
 * a new child also until a neighbour (same cluster, and same namespace or name) is deleted.
 */
export function stepsFor(policy: Policy, input: StepsInput): Step[] {
  const { departures, revisions, unsettled, possibleMatches } = input;
  const { removals, delayed } = removalsOf(policy, input);
  const leaving = removals.filter((each) => !staysForNow(each)).map(({ live }) => live);
  const unsure = [...unsettled.keys()].filter((child) => !input.awaiting.has(child));
  const soon = [...leaving, ...delayed, ...departures.departing, ...unsure];
  const facts: DestinationFacts = {
    possibleMatches,
    holders: holdersOf(input, leaving),
    heldBeside: heldBesideOf(input),
    whyKept: () => undefined,
    leaving: groupedBy(soon, ({ spec }) => clusterText(spec.kubeConfig)),
    departures,
    revisions,
    clusters: input.clusters,
    otherName: otherNameFinder([...input.desired, ...input.rejected], input.leftovers),
  };
  const spared = new Map(removals.filter(staysForNow).map(({ live, why }) => [live, why] as const));
  return [
    ...entrySteps(policy, input, facts, spared),
    ...input.rejected.map(({ entry, live, violation }): Step => ({ op: 'wait', entry, live, why: violation.message })),
    ...removals,
  ];
}
