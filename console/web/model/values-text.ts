import { isMap } from '#controllers/runtime/pure/plain.js';
import { parseYaml } from '#controllers/runtime/pure/yaml.js';
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
