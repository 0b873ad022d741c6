import type { IgnoreRule } from '#api/flux/common.js';
import type { Unstructured } from '#api/meta.js';
import { TerminalError } from '#lib/errors.js';
import { PatternBudget } from '#lib/text/go-pattern.js';
import { compileSelector } from '../drift/selector.js';
import { reasonText } from '../member/member-failure.js';

/** Where rules are, and the reason of what is thrown because of one that cannot be read. */
interface RulesField {
  readonly field: string;
  readonly reason: string;
}

/** A match then takes less than 20 ms, and mostly some microseconds. */
const MOST_PARTS = 1_000;
/** Milliseconds for the objects of one reconciliation. Rules for thousands of objects take some hundred. */
const MOST_MS = 2_000;

/** Measures how long objects are matched, and ends that. */
class MatchBudget {
  readonly #error: () => TerminalError;
  readonly #now: () => number;
  #leftMs = MOST_MS;

  constructor(error: () => TerminalError, now: () => number) {
    this.#error = error;
    this.#now = now;
  }

  /** Throws a TerminalError when the time is over. */
  measured<T>(match: () => T): T {
    if (this.#leftMs <= 0) throw this.#error();
    const begun = this.#now();
    const found = match();
    this.#leftMs -= this.#now() - begun;
    return found;
  }
}

/**
 * What of an object may differ: `read` makes it of the JSON pointers of all rules that the object matches, once for each
 * choice of rules; undefined where none matches. Throws TerminalError naming a rule that cannot be read; the function
 * that is returned throws one when matching objects takes too long. An object must not change once it was asked about.
 */
export function compileIgnoreRules<Out>(
  given: readonly IgnoreRule[],
  { field, reason }: RulesField,
  read: (paths: readonly string[]) => Out,
  now: () => number = () => performance.now(),
): (object: Unstructured) => Out | undefined {
  const budget = new PatternBudget({ mostOfOne: MOST_PARTS });
  const rules = given.map(({ paths, target }, index) => {
    try {
      return { index, paths, isMeant: compileSelector(target, budget) };
    } catch (error: unknown) {
      const message = `${field}[${index}].target: ${reasonText(error)}: correct it, or remove the rule`;
      throw new TerminalError(reason, message);
    }
  });
  const wayOut = 'write fewer rules, or simpler patterns and selectors';
  const tooSlow = `${field}: finding the objects that its rules mean takes longer than ${MOST_MS / 1_000} s: ${wayOut}`;
  const time = new MatchBudget(() => new TerminalError(reason, tooSlow), now);
  const known = new Map<string, Out>();
  const ofObject = new WeakMap<Unstructured, readonly (typeof rules)[number][]>();
  return (object) => {
    const matching = ofObject.get(object) ?? time.measured(() => rules.filter(({ isMeant }) => isMeant(object)));
    ofObject.set(object, matching);
    if (matching.length === 0) return undefined;
    const key = matching.map(({ index }) => index).join();
    const found = known.get(key) ?? read(matching.flatMap(({ paths }) => paths));
    known.set(key, found);
    return found;
  };
}
