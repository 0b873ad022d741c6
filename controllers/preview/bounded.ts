import type { PersonalizeDeps } from '../application/values.js';
import type { Entry } from '../application/model/child/types.js';
import { printJson } from '../runtime/pure/lossless-json.js';
import { pause } from '../runtime/sleep.js';
import type { Budget } from './budget.js';

/** What makes values. */
type Making = Pick<PersonalizeDeps, 'renderValues' | 'evaluateValues'>;

/** Clusters of one question: what they cost is known after each. */
const AT_ONCE = 100;

/** What entries state is the same for all destinations of an entry of the spec. */
function charactersOf(entries: readonly Entry[]): number {
  const lengths = new Map<string, number>();
  return entries.reduce((sum, { specPath, fields, values }) => {
    const length = lengths.get(specPath) ?? printJson([fields, values ?? null]).length;
    lengths.set(specPath, length);
    return sum + length;
  }, 0);
}

/** Asks about some at a time, and counts what is answered. */
async function inParts<Q, A>(
  items: readonly Q[],
  ask: (part: readonly Q[]) => Promise<readonly A[]>,
  hear: (answers: readonly A[]) => Promise<void>,
): Promise<A[]> {
  const found: A[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const answers = await ask(items.slice(start, start + AT_ONCE));
    await hear(answers);
    found.push(...answers);
  }
  return found;
}

/**
 * Makes values within what one answer may cost, whichever Application or revision they are of, and with a pause after
 * each part. `wayOut`: what can be asked for that costs less.
 */
export function bounded(
  { renderValues, evaluateValues }: Making,
  { budget, wayOut }: { readonly budget: Budget; readonly wayOut: string },
  signal: AbortSignal,
): Making & Required<Pick<PersonalizeDeps, 'admit'>> {
  const hear = async (answers: readonly unknown[]): Promise<void> => {
    budget.spend(printJson(answers).length, 'what is made of templates and expressions of values', wayOut);
    await pause(signal);
  };
  return {
    admit: async (entries) => {
      await pause(signal);
      const what = entries.length === 1 ? 'what a destination states' : `what ${entries.length} destinations state`;
      budget.spend(charactersOf(entries), what, wayOut);
    },
    renderValues: (text, contexts, pass) => inParts(contexts, (part) => renderValues(text, part, pass), hear),
    evaluateValues: (entries, tenant) => inParts(entries, (part) => evaluateValues(part, tenant), hear),
  };
}
