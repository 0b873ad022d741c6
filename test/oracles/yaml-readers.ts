import { parseYaml } from '#lib/yaml/yaml.js';
import type { Answer } from './oracle.js';

/** What either reader says of a text that it does not take. */
export const REFUSED = 'refused';

export function ours({ text }: { text: string }): unknown {
  try {
    return parseYaml(text);
  } catch {
    return REFUSED;
  }
}

export function theirs(answer: Answer): unknown {
  return 'error' in answer ? REFUSED : answer['value'];
}
