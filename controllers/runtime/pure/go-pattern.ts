import { RE2JS } from 're2js';

/** What is longer is no pattern of good faith, and takes seconds to compile. */
const MAX_LENGTH = 4_096;

/**
 * A test for a regular expression in Go's syntax, found anywhere in a text; linear in the text, whatever the expression:
 * a user's pattern must not stop the process. `whole`: it must match all of the text. Throws RangeError saying what is
 * wrong with it.
 */
export function goPattern(expression: string, { whole = false } = {}): (text: string) => boolean {
  if (expression.length > MAX_LENGTH) throw new RangeError(`a pattern has more than ${MAX_LENGTH} characters`);
  try {
    const compiled = RE2JS.compile(whole ? `^(?:${expression})$` : expression);
    return whole ? (text) => compiled.matches(text) : (text) => compiled.matcher(text).find();
  } catch (error: unknown) {
    throw new RangeError(`${JSON.stringify(expression)} is not a regular expression`, { cause: error });
  }
}
