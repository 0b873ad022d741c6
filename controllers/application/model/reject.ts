import { backendOf } from './backends/index.js';
import { releaseKeyText } from './identity.js';
import type { Matching } from './match.js';
import type { Child, Entry, RejectedEntry, Violation } from './types.js';

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

/** The same message for each entry, so that conditions contain it once. */
function sharedIdentity(entry: Entry, paths: readonly string[]): Violation {
  const message = `${joined(paths)} define the same ${backendOf(entry.release).describeDuplicate(entry)}`;
  return { reason: 'DuplicateDestination', message };
}

function sharedName(entry: Entry, paths: readonly string[]): Violation {
  const message = `${joined(paths, '.name')} are the same, "${entry.name ?? ''}": names must differ`;
  return { reason: 'DuplicateDestination', message };
}

/** Another holder of the release of an entry; undefined if it is free. */
export type FindOwner = (entry: Entry) => string | undefined;

/** The violation of an entry that its fields alone do not show: of its template, its values or its cluster. */
export type FindViolation = (entry: Entry) => Violation | undefined;

function heldByAnother(entry: Entry, findOwner: FindOwner): Violation | undefined {
  const owner = findOwner(entry);
  if (owner === undefined) return undefined;
  const { releaseName, storageNamespace } = entry.release;
  const message = `${entry.path}: release ${storageNamespace}/${releaseName} belongs to ${owner}: choose another releaseName, or delete that object`;
  return { reason: 'ReleaseConflict', message };
}

/** The entries with a violation of their own, in their order. */
function invalidEntries(
  entries: readonly Entry[],
  findOwner: FindOwner,
  findViolation: FindViolation,
): RejectedEntry[] {
  const sameRelease = sharersBy(entries, (entry) => releaseKeyText(entry.release));
  // The destinations of one selector have one name.
  const sameName = sharersBy(
    entries,
    ({ name }) => name,
    ({ specPath }) => specPath,
  );
  return entries.flatMap((entry) => {
    const sharers = sameRelease.get(entry);
    const namesakes = sameName.get(entry);
    const violation =
      backendOf(entry.release)
        .entryChecks.map((check) => check(entry))
        .find((found) => found !== undefined) ??
      (sharers === undefined ? undefined : sharedIdentity(entry, sharers)) ??
      (namesakes === undefined ? undefined : sharedName(entry, namesakes)) ??
      // The way out of a conflict is no help to an entry that is wrong by itself.
      findViolation(entry) ??
      heldByAnother(entry, findOwner);
    return violation === undefined ? [] : [{ entry, violation }];
  });
}

/** The violation of an entry that may continue any of `children`. */
function unclearEntry(entry: Entry, children: readonly Child[]): RejectedEntry {
  const { kind, describeCandidate } = backendOf(entry.release);
  const names = children.map(describeCandidate).sort();
  const message = `${entry.path}: it is unclear whether the entry continues ${kind} ${names.join(', or ')}: change names first and paths afterwards, or remove the old entries before you add new ones`;
  return { entry, violation: { reason: 'DestinationUnclear', message } };
}

/**
 * The entries with a violation, in their order; then those that may continue several children (`unclear`). Never
 * throws.
 */
export function rejectedEntries(
  entries: readonly Entry[],
  findOwner: FindOwner = () => undefined,
  findViolation: FindViolation = () => undefined,
  unclear: Matching['unclear'] = new Map(),
): RejectedEntry[] {
  const invalid = invalidEntries(entries, findOwner, findViolation);
  const refused = new Set(invalid.map(({ entry }) => entry));
  const others = [...unclear].filter(([entry]) => !refused.has(entry));
  return [...invalid, ...others.map(([entry, children]) => unclearEntry(entry, children))];
}
