import pick from 'lodash/pick.js';
import type { PendingReason } from '#api/v1alpha1/pending.js';
import { groupedBy } from '#controllers/runtime/pure/grouped-by.js';
import { backendOf } from '../backends/index.js';
import { clusterText } from '../child/cluster.js';
import { isInstalledFor } from '../child/metadata.js';
import type { Child, DesiredChild, RejectedEntry, Violation } from '../child/types.js';
import { firstVerdict, type Rule, type Step, type Verdict } from '../child/verdicts.js';
import { PossibleMatches, type PossibleMatchesInput, ReleaseHolders } from '../children/neighbours.js';
import type { SameTargets } from '../children/same-target.js';
import { isTerminating } from '../children/state.js';
import type { ChangedAccess } from '../clusters/changed-access.js';
import type { Departures } from '../clusters/departures.js';
import { replacedViolation, type Replacements } from '../clusters/replaced.js';
import type { OtherNames } from '../clusters/shared-cluster.js';
import { newReinstallationOf, workText } from '../destinations/identity.js';
import { gateViolation } from '../destinations/personal-values.js';
import {
  OWNER,
  rejected,
  rejectedBy,
  type Shared,
  sharedBy,
  STATED,
  type StatedEntry,
} from '../destinations/rejected.js';
import { DESTINATION_RULES, type DestinationFacts, isAdoption } from './destinations.js';
import { DELETION_RULES, LEFTOVER_RULES, type LeftoverFacts } from './leftovers.js';

/** Facts about all entries of an Application. */
export interface EntryFacts extends Replacements {
  readonly access: ChangedAccess;
  readonly others: Pick<OtherNames, 'violations'>;
  readonly same: Pick<SameTargets, 'violationOf'>;
}

/** An entry that may continue several children. */
function unclear({ entry, candidates }: StatedEntry): Violation | undefined {
  if (candidates.length === 0) return undefined;
  const { kind, describeCandidate } = backendOf(entry.release);
  const names = candidates.map(describeCandidate).sort();
  const message = `${entry.path}: it is unclear whether the entry continues ${kind} ${names.join(', or ')}: change names first and paths afterwards, or remove the old entries before you add new ones`;
  return { reason: 'DestinationUnclear', message };
}

/** The rules about an entry, in their order. */
export const ENTRY_RULES: readonly Rule<StatedEntry, Shared & EntryFacts>[] = [
  ...STATED,
  {
    name: 'access-changed',
    meaning: 'its cluster is reached in another way than when its child was written: the entry is rejected',
    of: ({ entry }, { access }) => rejected(access.violationOf(entry)),
  },
  {
    name: 'cluster-has-two-names',
    meaning:
      'another entry defines the release on the same cluster under another name of it: the one without a child is rejected',
    of: ({ entry }, { others }) => rejected(others.violations.get(entry)),
  },
  {
    name: 'cluster-is-replaced',
    meaning:
      'another cluster took the place of the one that its children are for, and nobody accepted it: the entry is rejected',
    of: ({ entry, live }, replacements) => rejected(replacedViolation(entry, live, replacements)),
  },
  {
    name: 'ready-is-invalid',
    meaning: 'its `ready` cannot be evaluated, and it has no child yet: the entry is rejected',
    of: ({ entry, live }) => rejected(gateViolation(entry, live)),
  },
  {
    name: 'target-is-taken',
    meaning: 'somebody else applies the same release or files to the same place already: the entry is rejected',
    of: (destination, { same }) => rejected(same.violationOf(destination)),
  },
  // The way out of a conflict is no help to an entry that is wrong by itself.
  OWNER,
  {
    name: 'child-is-unclear',
    meaning: 'the entry may continue any of several children: it is rejected',
    of: (destination) => rejected(unclear(destination)),
  },
];

/**
 * The destinations whose entries are rejected: those with a violation in their order, then those that may continue
 * several children. Never throws.
 */
export function judge(
  rules: typeof ENTRY_RULES,
  destinations: readonly StatedEntry[],
  facts: EntryFacts,
): RejectedEntry[] {
  const shared = sharedBy(destinations.map(({ entry }) => entry));
  const found = rejectedBy(rules, destinations, { ...shared, ...facts });
  const isUnclear = ({ violation }: RejectedEntry): boolean => violation.reason === 'DestinationUnclear';
  return [...found.filter((each) => !isUnclear(each)), ...found.filter(isUnclear)];
}

/** Every rule about a destination. Of each list, the first rule that applies decides. */
export interface Policy {
  /** For each entry: whether it is rejected. */
  readonly entries: typeof ENTRY_RULES;
  /** For each destination whose entry is not rejected. */
  readonly destinations: typeof DESTINATION_RULES;
  /** For each child that no entry matches. */
  readonly leftovers: typeof LEFTOVER_RULES;
  /** For each child of an Application that is being deleted. */
  readonly deletions: typeof DELETION_RULES;
}

/** The policy of Fairlead; the documentation prints it. */
export const POLICY: Policy = {
  entries: ENTRY_RULES,
  destinations: DESTINATION_RULES,
  leftovers: LEFTOVER_RULES,
  deletions: DELETION_RULES,
};

/** The input of the steps. */
export interface StepsInput
  extends
    Omit<PossibleMatchesInput, 'unmatched'>,
    Pick<LeftoverFacts, 'complete' | 'access' | 'unsettled' | 'whyStaged' | 'held' | 'keeperOf'>,
    Pick<DestinationFacts, 'revisions'> {
  /** Children of the Application without an entry. */
  readonly leftovers: readonly Child[];
  readonly departures: Departures;
  /** See `OtherNames`. */
  readonly namesBeside: (child: Child) => ReadonlySet<string>;
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

type Removal = Extract<Step, { op: 'delete' | 'suspend' | 'spare' }>;

/** The step that carries a verdict out on a child without an entry; without a verdict, it stays. */
export function removalFor(live: Child, verdict: Verdict | undefined): Removal {
  if (verdict === undefined || 'reject' in verdict) return { op: 'spare', live, why: 'no rule applies to it' };
  const { why } = verdict;
  if ('do' in verdict && (verdict.do === 'delete' || verdict.do === 'suspend')) return { op: verdict.do, live, why };
  return { op: 'spare', live, why, ...('hold' in verdict ? pick(verdict, 'hold') : {}) };
}

/** The children that stay, by their live and desired work. */
function stayingChildren({ desired, rejected, rejectedChild }: StepsInput): Map<string, Child> {
  const wanted = desired.flatMap(({ object, live }) =>
    live === undefined ? [] : [[workText(live), live] as const, [workText(object), live] as const],
  );
  const others = rejected.flatMap((each) => rejectedChild(each) ?? []);
  return new Map([...wanted, ...others.map((child) => [workText(child), child] as const)]);
}

const NO_NAMES: ReadonlySet<string> = new Set();

/** The cluster of a spared child without any entry may have another name now. */
function holdersOf(
  { desired, rejected, rejectedChild, leftovers, namesBeside }: StepsInput,
  leaving: readonly Child[],
): ReleaseHolders {
  const entries = [...desired, ...rejected].map(({ entry }) => entry);
  const clusters = new Set(entries.map(({ release }) => release.cluster));
  const going = new Set(leaving);
  const spared = leftovers.filter((child) => !going.has(child));
  const isLost = ({ spec }: Child): boolean => !clusters.has(clusterText(spec.kubeConfig));
  const matched = [...desired.map(({ live }) => live), ...rejected.map(rejectedChild)].flatMap((live) => live ?? []);
  const staying = [...matched, ...spared.filter((child) => !isLost(child))];
  const waiting = new Set(spared);
  return new ReleaseHolders({
    going: [...leaving, ...spared.filter(isLost)],
    staying,
    // What leaves waits for these, and so they cannot wait for it.
    namesBeside: (child) => (waiting.has(child) ? namesBeside(child) : NO_NAMES),
  });
}

/**
 * One step per child, in the order of the entries, deletes last. A child waits while another one holds its release, and
 * a new child also until a neighbour (same cluster, and same namespace or name) is deleted.
 */
export function stepsFor(policy: Policy, input: StepsInput): Step[] {
  const { departures, revisions, unsettled } = input;
  const possibleMatches = new PossibleMatches({ ...input, unmatched: input.leftovers });
  const leftoverFacts = { ...input, possibleMatches, stayingByWork: stayingChildren(input) };
  const removals = input.leftovers.map((child) =>
    removalFor(child, firstVerdict(policy.leftovers, child, leftoverFacts)),
  );
  const leaving = removals.filter(({ op, live }) => op !== 'spare' || isTerminating(live)).map(({ live }) => live);
  const soon = [...leaving, ...departures.departing, ...unsettled.keys()];
  const facts: DestinationFacts = {
    possibleMatches,
    holders: holdersOf(input, leaving),
    leaving: groupedBy(soon, ({ spec }) => clusterText(spec.kubeConfig)),
    departures,
    revisions,
  };
  return [
    ...input.desired.map((desired) => stepFor(desired, firstVerdict(policy.destinations, desired, facts))),
    ...input.rejected.map((each): Step => ({
      op: 'wait',
      entry: each.entry,
      live: input.rejectedChild(each),
      why: each.violation.message,
    })),
    ...removals,
  ];
}
