import { backendOf } from '../backends/index.js';
import type { ChangedAccess } from '../clusters/changed-access.js';
import { gateViolation } from '../clusters/gate.js';
import { replacedViolation, type Replacements } from '../clusters/replaced.js';
import type { OtherNames } from '../clusters/shared-cluster.js';
import { releaseKeyText } from '../identity.js';
import type { SameTargets } from '../same-target.js';
import type { Child, Entry, RejectedEntry, Violation } from '../types.js';
import type { EntryDestination } from '../world.js';
import { firstVerdict, type Rule, type Verdict } from './rule.js';

/** Paths in a message that each of thousands of entries may have. */
const NAMED = 5;

/** For each entry that shares the text of `keyOf` with entries of other paths, all of these paths: one list for all. */
function sharersBy(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string | undefined,
  pathOf: (entry: Entry) => string = ({ path }) => path,
): Map<Entry, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key !== undefined) groups.set(key, (groups.get(key) ?? new Set()).add(pathOf(entry)));
  }
  const lists = new Map([...groups].map(([key, paths]) => [key, [...paths]] as const));
  return new Map(
    entries.flatMap((entry): [Entry, readonly string[]][] => {
      const paths = lists.get(keyOf(entry) ?? '') ?? [];
      return paths.length > 1 ? [[entry, paths]] : [];
    }),
  );
}

/** `a and b`, or `a and b and 3 more`; `field`: what follows each path. */
function joined(paths: readonly string[], field = ''): string {
  const rest = paths.length - NAMED;
  const shown = paths.slice(0, NAMED).map((path) => `${path}${field}`);
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(' and ');
}

/** An entry with what is known of it alone. */
export type StatedEntry = Pick<EntryDestination, 'entry' | 'live' | 'violation' | 'owner' | 'candidates'>;

/** The entries that share something. */
interface Shared {
  readonly releases: ReadonlyMap<Entry, readonly string[]>;
  readonly names: ReadonlyMap<Entry, readonly string[]>;
}

/** Facts about all entries of an Application. */
export interface EntryFacts extends Replacements {
  readonly access: ChangedAccess;
  readonly others: Pick<OtherNames, 'violations'>;
  readonly same: Pick<SameTargets, 'violationOf'>;
}

function rejected(violation: Violation | undefined): Verdict | undefined {
  return violation === undefined ? undefined : { reject: violation };
}

function ownViolation({ entry }: StatedEntry): Violation | undefined {
  for (const check of backendOf(entry.release).entryChecks) {
    const violation = check(entry);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

/** The same message for each entry, so that conditions contain it once. */
function sharedRelease({ entry }: StatedEntry, { releases }: Shared): Violation | undefined {
  const paths = releases.get(entry);
  if (paths === undefined) return undefined;
  const message = `${joined(paths)} define the same ${backendOf(entry.release).describeDuplicate(entry)}`;
  return { reason: 'DuplicateDestination', message };
}

function sharedName({ entry }: StatedEntry, { names }: Shared): Violation | undefined {
  const paths = names.get(entry);
  if (paths === undefined) return undefined;
  const message = `${joined(paths, '.name')} are the same, "${entry.name ?? ''}": names must differ`;
  return { reason: 'DuplicateDestination', message };
}

function heldByAnother({ entry, owner }: StatedEntry): Violation | undefined {
  if (owner === undefined) return undefined;
  const { releaseName, storageNamespace } = entry.release;
  const message = `${entry.path}: release ${storageNamespace}/${releaseName} belongs to ${owner}: choose another releaseName, or delete that object`;
  return { reason: 'ReleaseConflict', message };
}

/** An entry that may continue several children. */
function unclear({ entry, candidates }: StatedEntry): Violation | undefined {
  if (candidates.length === 0) return undefined;
  const { kind, describeCandidate } = backendOf(entry.release);
  const names = candidates.map(describeCandidate).sort();
  const message = `${entry.path}: it is unclear whether the entry continues ${kind} ${names.join(', or ')}: change names first and paths afterwards, or remove the old entries before you add new ones`;
  return { reason: 'DestinationUnclear', message };
}

type StatedRule = Rule<StatedEntry, Shared>;

/** Rules that know nothing but what all entries say. */
const STATED: readonly StatedRule[] = [
  {
    name: 'fields-are-invalid',
    meaning: 'a field of the entry has a value that cannot be: the entry is rejected',
    of: (destination) => rejected(ownViolation(destination)),
  },
  {
    name: 'release-is-doubled',
    meaning: 'another entry defines the same release on the same cluster: both are rejected',
    of: (destination, shared) => rejected(sharedRelease(destination, shared)),
  },
  {
    name: 'name-is-doubled',
    meaning: 'another entry has the same `name`: both are rejected',
    of: (destination, shared) => rejected(sharedName(destination, shared)),
  },
  {
    name: 'entry-is-invalid',
    meaning: 'its template, its values or its cluster cannot be used: the entry is rejected',
    of: ({ violation }) => rejected(violation),
  },
];

const OWNER: StatedRule = {
  name: 'release-has-another-owner',
  meaning: 'another Application, or an object that somebody else made, has the release: the entry is rejected',
  of: (destination) => rejected(heldByAnother(destination)),
};

/** The rules about an entry, in their order. */
export const ENTRY_RULES: readonly Rule<StatedEntry, Shared & EntryFacts>[] = [
  ...STATED,
  {
    name: 'access-changed',
    meaning: 'its cluster is reached in another way than its children: the entry is rejected',
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

function sharedBy(entries: readonly Entry[]): Shared {
  return {
    releases: sharersBy(entries, ({ release }) => releaseKeyText(release)),
    // The destinations of one selector have one name.
    names: sharersBy(
      entries,
      ({ name }) => name,
      ({ specPath }) => specPath,
    ),
  };
}

function rejectedBy<Facts>(
  rules: readonly Rule<StatedEntry, Facts>[],
  destinations: readonly StatedEntry[],
  facts: Facts,
): RejectedEntry[] {
  return destinations.flatMap((destination) => {
    const verdict = firstVerdict(rules, destination, facts);
    return verdict !== undefined && 'reject' in verdict
      ? [{ entry: destination.entry, violation: verdict.reject }]
      : [];
  });
}

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

/** Another holder of the release of an entry; undefined if it is free. */
export type FindOwner = (entry: Entry) => string | undefined;

/** The violation of an entry that its fields alone do not show: of its template, its values or its cluster. */
export type FindViolation = (entry: Entry) => Violation | undefined;

/** The entries that are wrong whatever children there are, in their order. Never throws. */
export function rejectedEntries(
  entries: readonly Entry[],
  findOwner: FindOwner = () => undefined,
  findViolation: FindViolation = () => undefined,
): RejectedEntry[] {
  const nothing: { live: Child | undefined; candidates: readonly Child[] } = { live: undefined, candidates: [] };
  const destinations = entries.map((entry) => {
    return { ...nothing, entry, violation: findViolation(entry), owner: findOwner(entry) };
  });
  return rejectedBy([...STATED, OWNER], destinations, sharedBy(entries));
}
