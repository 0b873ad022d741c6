import { characterOf, runesOf, type Bytes } from './bytes.js';

/** What one step of a pattern takes: this character, any number of them, or one of a class. */
type Step = Bytes | typeof STAR | ((rune: Bytes) => boolean);

const STAR = Symbol('*');

/** What is left of a pattern, its next character last. */
type Rest = Bytes[];

function codeOf(rune: Bytes): number {
  return characterOf(rune).codePointAt(0) ?? 0;
}

/** A character of a class; undefined where the class is malformed. */
function classCharacter(rest: Rest): number | undefined {
  if (rest.at(-1) === '-' || rest.at(-1) === ']') return undefined;
  if (rest.at(-1) === '\\') rest.pop();
  const rune = rest.pop();
  return rune === undefined || rest.length === 0 ? undefined : codeOf(rune);
}

function classStep(rest: Rest): Step | undefined {
  const isNegated = rest.at(-1) === '^';
  if (isNegated) rest.pop();
  const ranges: (readonly [low: number, high: number])[] = [];
  while (ranges.length === 0 || rest.at(-1) !== ']') {
    const low = classCharacter(rest);
    const isRange = rest.at(-1) === '-';
    if (isRange) rest.pop();
    const high = isRange ? classCharacter(rest) : low;
    if (low === undefined || high === undefined) return undefined;
    ranges.push([low, high]);
  }
  rest.pop();
  return (rune) => ranges.some(([low, high]) => low <= codeOf(rune) && codeOf(rune) <= high) !== isNegated;
}

function stepOf(rune: Bytes, rest: Rest): Step | undefined {
  if (rune === '*') return STAR;
  if (rune === '?') return () => true;
  if (rune === '[') return classStep(rest);
  return rune === '\\' ? rest.pop() : rune;
}

/** The steps of a shell pattern; undefined where it is malformed. */
function stepsOf(pattern: Bytes): Step[] | undefined {
  const rest = runesOf(pattern).reverse();
  const steps: Step[] = [];
  for (let rune = rest.pop(); rune !== undefined; rune = rest.pop()) {
    const step = stepOf(rune, rest);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return steps;
}

/** Which steps may come next: a star may take nothing. */
function withStars(steps: readonly Step[], states: Uint8Array): Uint8Array {
  for (const [index, step] of steps.entries()) {
    if (step === STAR && states[index] === 1) states[index + 1] = 1;
  }
  return states;
}

function takes(step: Step, rune: Bytes): boolean {
  return typeof step === 'function' ? step(rune) : step === rune;
}

function afterRune(steps: readonly Step[], states: Uint8Array, rune: Bytes): Uint8Array {
  const next = new Uint8Array(states.length);
  for (const [index, step] of steps.entries()) {
    if (states[index] !== 1) continue;
    if (step === STAR) next[index] = 1;
    else if (takes(step, rune)) next[index + 1] = 1;
  }
  return withStars(steps, next);
}

/**
 * The lengths of the shortest and the longest beginning of `value` that a shell pattern matches, in bytes; undefined
 * where none does, and for a malformed pattern. An empty beginning is none. Takes time in proportion to the product of
 * both lengths. A star takes slashes, too.
 */
export function matchingPrefix(pattern: Bytes, value: Bytes): { shortest: number; longest: number } | undefined {
  const steps = stepsOf(pattern);
  if (steps === undefined) return undefined;
  let states = withStars(steps, Uint8Array.from([1, ...steps.map(() => 0)]));
  let [length, shortest, longest] = [0, 0, 0];
  for (const rune of runesOf(value)) {
    states = afterRune(steps, states, rune);
    length += rune.length;
    if (states[steps.length] !== 1) continue;
    shortest ||= length;
    longest = length;
  }
  return longest === 0 ? undefined : { shortest, longest };
}
