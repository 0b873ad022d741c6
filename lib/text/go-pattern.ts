import { RE2JS } from 're2js';
import { cut } from './text.js';
import { patternSize } from './pattern-size.js';

/** What is longer is no pattern of good faith, and takes seconds to compile. */
const MAX_LENGTH = 4_096;
/** By patternSize. Compiling takes less than 200 ms. Larger than the longest text without repetitions. */
const MAX_SIZE = 5_000;
/** Most parts of all patterns of one object. */
const MAX_SIZE_IN_ALL = 10_000;
const MOST_SHOWN = 200;

/** A list of texts, as a whole or in one group: each part is looked at once or a few times, however many there are. */
const LIST_OF_TEXTS = /^[^*+?{(]*(?:\((?:\?:)?[^*+?{(]*)?$/;

interface BudgetOptions {
  /** Most parts of a pattern that is no list of texts, if matching must be quick as well. */
  readonly mostOfOne?: number;
}

/** The budget that the patterns of one object share. */
export class PatternBudget {
  readonly #mostOfOne: number;
  #left = MAX_SIZE_IN_ALL;

  constructor({ mostOfOne = MAX_SIZE }: BudgetOptions = {}) {
    this.#mostOfOne = mostOfOne;
  }

  /** Throws RangeError. */
  take(expression: string): void {
    const size = patternSize(expression);
    const most = LIST_OF_TEXTS.test(expression) ? MAX_SIZE : this.#mostOfOne;
    if (size > most) {
      throw new RangeError(
        `the pattern ${JSON.stringify(cut(expression, MOST_SHOWN))} has more than ${most} parts, each counted as ` +
          'often as it is repeated',
      );
    }
    this.#left -= size;
    if (this.#left >= 0) return;
    throw new RangeError(
      `the patterns up to this one have more than ${MAX_SIZE_IN_ALL} parts in all, each counted as often as it is repeated`,
    );
  }
}

interface PatternOptions {
  /** The pattern must match the whole text. */
  readonly whole?: boolean;
  /** The budget shared with other patterns of an object; absent: it is the only pattern. */
  readonly budget?: PatternBudget;
}

/**
 * A test for a regular expression in Go's syntax, found anywhere in a text. Matching takes linear time, and large
 * expressions are rejected: a user's pattern must not block the process. Throws a RangeError that names the problem.
 */
export function goPattern(
  expression: string,
  { whole = false, budget = new PatternBudget() }: PatternOptions = {},
): (text: string) => boolean {
  if (expression.length > MAX_LENGTH) throw new RangeError(`a pattern has more than ${MAX_LENGTH} characters`);
  budget.take(expression);
  try {
    const compiled = RE2JS.compile(whole ? `^(?:${expression})$` : expression);
    return whole ? (text) => compiled.matches(text) : (text) => compiled.matcher(text).find();
  } catch (error: unknown) {
    throw new RangeError(`${JSON.stringify(expression)} is not a regular expression`, { cause: error });
  }
}
