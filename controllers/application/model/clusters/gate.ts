import type { Child, Entry, Gate, Violation } from '../types.js';
import type { CelText, CelValues } from './cel-values.js';

/** The text to evaluate for `ready` of an entry. */
export function readyText(ready: string): CelText {
  return { path: [], field: 'ready', text: `\${{ ${ready} }}` };
}

/** What the result of `ready` means for an entry without a child; undefined: it may be installed. */
export function gateOf({ path, clusterName }: Entry, result: CelValues): Gate | undefined {
  if ('problem' in result) {
    const { problem, isInvalid = false } = result;
    if (!isInvalid) return { waits: `waiting for cluster ${clusterName}: ${problem}` };
    return { violation: { reason: 'ReadyInvalid', message: `${path}.${problem}` } };
  }
  const [value] = result.values;
  if (value === true) return undefined;
  if (value === false) return { waits: `waiting for cluster ${clusterName}: ready is false` };
  return { violation: { reason: 'ReadyInvalid', message: `${path}.ready: it must return true or false` } };
}

/** What a new child of an entry waits for; undefined: nothing that `ready` says. */
export function waitsFor({ gate }: Entry): string | undefined {
  return gate !== undefined && 'waits' in gate ? gate.waits : undefined;
}

/** The violation of `ready` of an entry; what is installed does not depend on it any more. */
export function gateViolation({ gate }: Entry, live: Child | undefined): Violation | undefined {
  return live === undefined && gate !== undefined && 'violation' in gate ? gate.violation : undefined;
}
