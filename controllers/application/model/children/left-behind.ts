import partition from 'lodash/partition.js';
import type { Application } from '#api/v1alpha1/application.js';
import { groupedBy } from '#lib/plain.js';
import { backendOf } from '../backends/index.js';
import { isLeftBehind, isOffered, isPlain } from '../child/metadata.js';
import type { Child, Entry } from '../child/types.js';
import { liveReleaseKey, type Matching, matchChildren, releaseKeyText } from '../destinations/identity.js';

/** A child that an Application left behind or offers, and what would be removed of it if an entry took it over as it is. */
export interface LeftBehind {
  readonly child: Child;
  readonly why: string;
}

/** A matching, and what keeps entries without a child from their release. */
export interface MatchingWithOrphans extends Matching {
  readonly leftBehind: ReadonlyMap<Entry, LeftBehind>;
}

function joined(own: Matching, offered: Matching): Matching {
  return {
    childOf: new Map([...own.childOf, ...offered.childOf]),
    unclear: new Map([...own.unclear, ...offered.unclear]),
    unmatched: [...own.unmatched, ...offered.unmatched],
  };
}

/**
 * Matches the entries of an Application with its children, and with what an Application left behind or offers: only
 * where that stays as it is. To be kept is what it was left behind for.
 */
export function matchWithOrphans(
  application: Application,
  entries: readonly Entry[],
  children: readonly Child[],
): MatchingWithOrphans {
  const isLeft = (child: Child): boolean => isLeftBehind(child) || isOffered(child, application);
  const whyNot = (entry: Entry, child: Child): string | undefined =>
    isLeft(child) ? backendOf(child).otherThan(application, entry, child) : undefined;
  const mayContinue = (entry: Entry, child: Child): boolean => whyNot(entry, child) === undefined;
  const [plain, made] = partition(children, isPlain);
  const own = matchChildren(entries, made, { mayContinue, isLeft });
  // An offer must not decide which children the entries have.
  const open = entries.filter((entry) => !own.childOf.has(entry) && !own.unclear.has(entry));
  const matching = plain.length === 0 ? own : joined(own, matchChildren(open, plain, { mayContinue, isLeft }));
  const left = groupedBy(matching.unmatched.filter(isLeft), (child) => releaseKeyText(liveReleaseKey(child)));
  const found = entries.flatMap((entry): [Entry, LeftBehind][] => {
    const child = matching.childOf.has(entry) ? undefined : left.get(releaseKeyText(entry.release))?.[0];
    const why = child && whyNot(entry, child);
    return child === undefined || why === undefined ? [] : [[entry, { child, why }]];
  });
  return { ...matching, leftBehind: new Map(found) };
}
