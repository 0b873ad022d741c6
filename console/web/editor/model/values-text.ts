import { isMap } from '#lib/plain.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { textProblemOf, type TextProblem } from './application-text.js';

/** What is wrong with the values of a chart; undefined if nothing is. */
export function readValues(text: string): TextProblem | undefined {
  try {
    const value = parseYaml(text);
    return value === null || isMap(value) ? undefined : { text: 'Values are a map: KEY: VALUE' };
  } catch (error: unknown) {
    return textProblemOf(error);
  }
}

/** What of values is drawn twice, as one of two texts; more costs a second per pause of who types. */
const MOST_CHARACTERS = 100_000;

function charactersLeft(value: unknown, left: number): number {
  if (left < 0) return left;
  if (typeof value !== 'object' || value === null) return left - String(value).length;
  let rest = left;
  for (const [key, each] of Object.entries(value)) {
    rest = charactersLeft(each, rest - key.length);
    if (rest < 0) return rest;
  }
  return rest;
}

/** True for values that are only edited where the whole Application is. Takes as long as for the longest that are not. */
export function areLongValues(values: unknown): boolean {
  return charactersLeft(values, MOST_CHARACTERS) < 0;
}
