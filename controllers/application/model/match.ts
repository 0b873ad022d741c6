import countBy from 'lodash/countBy.js';
import groupBy from 'lodash/groupBy.js';
import sortBy from 'lodash/sortBy.js';
import { BACKENDS } from './backends/index.js';
import { textOf } from './backends/match-rules.js';
import type { Backend, MatchRule, RestMatching } from './backends/types.js';
import { releaseKeyText } from './identity.js';
import type { Child, Entry } from './types.js';

/** The child of each entry, and the children without an entry. */
export interface Matching extends RestMatching {
  readonly unmatched: readonly Child[];
}

/** Two entries of one release come by their names, the one without first: another rule may find the child of a name. */
function byRelease(entries: readonly Entry[]): Entry[] {
  return sortBy(entries, [({ release }) => releaseKeyText(release), ({ name = '' }) => name]);
}

/** Matches by one rule: `entries` and `children` are those without a match, in order. */
function pairsBy(rule: MatchRule, entries: readonly Entry[], children: readonly Child[]): [Entry, Child][] {
  const free = new Set(children);
  // Keeps a thousand entries with a thousand children linear.
  const candidates = groupBy(children, (child) => textOf(rule.ofChild(child)));
  const claims = rule.isUnique === true ? countBy(entries, (entry) => textOf(rule.ofEntry(entry))) : {};
  return entries.flatMap((entry): [Entry, Child][] => {
    const mark = rule.ofEntry(entry);
    if (mark === undefined) return [];
    const text = textOf(mark);
    const alike = candidates[text] ?? [];
    if (rule.isUnique === true && (alike.length > 1 || claims[text] !== 1)) return [];
    const child = alike.find((each) => free.has(each) && rule.agrees?.(entry, each) !== false);
    if (child === undefined) return [];
    free.delete(child);
    return [[entry, child]];
  });
}

/** Matches entries and children of one kind. Each rule is applied to all of them before the next, weaker one. */
function matchKind(
  { matchRules, matchRest }: Backend,
  entries: readonly Entry[],
  children: readonly Child[],
): RestMatching {
  const childOf = new Map<Entry, Child>();
  const free = new Set(children);
  const take = (pairs: Iterable<readonly [Entry, Child]>): void => {
    for (const [entry, child] of pairs) {
      childOf.set(entry, child);
      free.delete(child);
    }
  };
  const open = (): Entry[] => entries.filter((entry) => !childOf.has(entry));
  for (const rule of matchRules) {
    // Mostly all children are taken by the first rules, and a new Application has none.
    if (free.size === 0) break;
    take(pairsBy(rule, open(), [...free]));
  }
  const rest = matchRest(open(), [...free]);
  take(rest.childOf);
  return { childOf, unclear: rest.unclear };
}

/** Matches each entry with at most one child. The order of both lists does not matter. */
export function matchChildren(entries: readonly Entry[], children: readonly Child[]): Matching {
  const inOrder = byRelease(entries);
  const byName = [...children].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const matchings = BACKENDS.map((backend) =>
    matchKind(
      backend,
      inOrder.filter(({ release }) => release.kind === backend.kind),
      byName.filter(({ kind }) => kind === backend.kind),
    ),
  );
  const childOf = new Map(matchings.flatMap((matching) => [...matching.childOf]));
  const unclear = new Map(matchings.flatMap((matching) => [...matching.unclear]));
  const taken = new Set(childOf.values());
  return { childOf, unclear, unmatched: byName.filter((child) => !taken.has(child)) };
}
