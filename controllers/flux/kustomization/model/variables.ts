import { bytesOf, type Bytes } from './substitution/bytes.js';
import type { Variable, Variables } from './substitution/substitute.js';

/** The data of a ConfigMap or Secret. */
export interface VariableSource {
  /** `Kind/name`. */
  readonly shown: string;
  readonly isSecret: boolean;
  readonly data: Readonly<Record<string, Bytes>>;
}

const NAME = /^[_A-Za-z][_A-Za-z0-9]*$/;
/** Each value from a Secret is searched for in every message. */
const MOST_VARIABLES = 5_000;

/** As in Flux, line breaks are no part of a value: later sources win, and what the spec has wins over all. */
export function composeVariables(
  sources: readonly VariableSource[],
  inline: Readonly<Record<string, string>>,
): Variables | { readonly problem: string } {
  const texts = Object.entries(inline).map(([name, text]): [string, Bytes] => [name, bytesOf(text)]);
  const own = { shown: 'spec.postBuild.substitute', isSecret: false, data: Object.fromEntries(texts) };
  const variables = new Map<string, Variable>();
  for (const { shown, isSecret, data } of [...sources, own]) {
    for (const [name, value] of Object.entries(data)) {
      if (!NAME.test(name)) return { problem: invalidName(shown, name) };
      variables.set(name, { value: value.replaceAll('\n', ''), isSecret });
    }
  }
  if (variables.size <= MOST_VARIABLES) return variables;
  return { problem: `spec.postBuild has ${variables.size} variables, and at most ${MOST_VARIABLES} are supported` };
}

function invalidName(shown: string, name: string): string {
  const key = JSON.stringify(name.slice(0, 100));
  return `${shown} has the key ${key}, which is no name of a variable: rename it; letters, digits and _ make a name`;
}
