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

/** The budget that the patterns of one object share. */
export class PatternBudget {
  #left = MAX_SIZE_IN_ALL;

  /** Throws RangeError. */
  take(size: number): void {
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
  const size = patternSize(expression);
  if (size > MAX_SIZE) {
    throw new RangeError(
      `the pattern ${JSON.stringify(cut(expression, MOST_SHOWN))} has more than ${MAX_SIZE} parts, each counted as ` +
        'often as it is repeated',
    );
  }
  budget.take(size);
  try {
    const compiled = RE2JS.compile(whole ? `^(?:${expression})$` : expression);
    return whole ? (text) => compiled.matches(text) : (text) => compiled.matcher(text).find();
  } catch (error: unknown) {
    throw new RangeError(`${JSON.stringify(expression)} is not a regular expression`, { cause: error });
  }
}
