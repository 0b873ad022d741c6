import { backendOf } from '../backends/index.js';
import { describeChild } from '../child/messages.js';
import { isPlain } from '../child/metadata.js';
import type { Child, Entry, RejectedEntry, Violation } from '../child/types.js';
import { firstFound, firstVerdict, type Rule, type Verdict } from '../child/verdicts.js';
import { releaseKeyText } from './identity.js';

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

/** An entry with what is known of it alone; see `Destination`. */
export interface StatedEntry {
  readonly entry: Entry;
  readonly live: Child | undefined;
  readonly violation: Violation | undefined;
  readonly owner: string | undefined;
  readonly candidates: readonly Child[];
  readonly leftBehind?: { readonly child: Child; readonly why: string } | undefined;
}

/** The entries that share something. */
export interface Shared {
  readonly releases: ReadonlyMap<Entry, readonly string[]>;
  readonly names: ReadonlyMap<Entry, readonly string[]>;
}

export function rejected(violation: Violation | undefined): Verdict | undefined {
  return violation === undefined ? undefined : { reject: violation };
}

function ownViolation({ entry }: StatedEntry): Violation | undefined {
  return firstFound(backendOf(entry.release).entryChecks, (check) => check(entry));
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
  const message = `${entry.path}: release ${storageNamespace}/${releaseName} belongs to ${owner}: choose another releaseName, or remove the entry for it from its Application, which hands the release over`;
  return { reason: 'ReleaseConflict', message };
}

function heldByOrphan({ entry, leftBehind }: StatedEntry): Violation | undefined {
  if (leftBehind === undefined) return undefined;
  const { child, why } = leftBehind;
  const { deletionVerb, releaseName } = backendOf(child);
  const field = releaseName(entry.release) === undefined ? 'name' : 'releaseName';
  const message = `${entry.path}: ${describeChild(child)}, which ${isPlain(child) ? 'is offered to it' : 'an Application left behind'}, would lose what it deployed (${why}): to keep that and deploy this as well, set another ${field}; to take it over, apply it here as it is before you change it; or delete it, which ${deletionVerb} that unless you set spec.suspend: true on it before`;
  return { reason: 'ReleaseConflict', message };
}

type StatedRule = Rule<StatedEntry, Shared>;

/** Rules that know nothing but what all entries say. */
export const STATED: readonly StatedRule[] = [
  {
    name: 'fields-are-invalid',
    meaning: 'a field of the entry has an invalid value: the entry is rejected',
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

export const OWNER: StatedRule = {
  name: 'release-has-another-owner',
  meaning: 'another Application, or an object that somebody else made, has the release: the entry is rejected',
  of: (destination) => rejected(heldByAnother(destination)),
};

export const ORPHAN: StatedRule = {
  name: 'left-behind-is-other',
  meaning:
    'an Application left a child with its release behind, and to take it over would remove what that deployed: the entry is rejected',
  of: (destination) => rejected(heldByOrphan(destination)),
};

export function sharedBy(entries: readonly Entry[]): Shared {
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

export function rejectedBy<Facts>(
  rules: readonly Rule<StatedEntry, Facts>[],
  destinations: readonly StatedEntry[],
  facts: Facts,
): RejectedEntry[] {
  return destinations.flatMap((destination) => {
    const { entry, live } = destination;
    const verdict = firstVerdict(rules, destination, facts);
    return verdict !== undefined && 'reject' in verdict ? [{ entry, live, violation: verdict.reject }] : [];
  });
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
  const destinations = entries.map((entry) => {
    return { entry, live: undefined, candidates: [], violation: findViolation(entry), owner: findOwner(entry) };
  });
  return rejectedBy([...STATED, OWNER], destinations, sharedBy(entries));
}
