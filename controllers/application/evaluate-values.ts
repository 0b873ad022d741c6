import { answerOf, type Offload, type Task } from '../runtime/offload.js';
import { parseJson, printJson } from '../runtime/pure/lossless-json.js';
import { createLru } from '../runtime/pure/lru.js';
import { cacheKey } from './cache-key.js';
import { evaluateTexts, type CelQuestion, type CelText, type CelValues } from './model/clusters/cel-values.js';

/** The texts of one entry on one cluster. */
export interface EntryTexts {
  readonly texts: readonly CelText[];
  /** What expressions read as `cluster`; the same object as long as it says the same. */
  readonly cluster: object;
}

/** Evaluates the expressions of many entries, in their order; `tenant` is whose they are. */
export type EvaluateValues = (entries: readonly EntryTexts[], tenant: string) => Promise<readonly CelValues[]>;

const CACHED_BYTES = 16 * 1024 * 1024;
/** Entries of one task. */
const AT_ONCE = 200;

/** @public Called by its name: an expression of a line can take years. */
export const evaluateTask: Task = {
  module: import.meta.url,
  name: 'evaluateTask',
  deadlineMs: 5_000,
  run: (input) => printJson((parseJson(input) as CelQuestion[]).flatMap(evaluateTexts)), // as evaluateFresh prints it
};

/** Entries with the same texts are compiled once. */
function questionsOf(entries: readonly (EntryTexts & { readonly text: string })[]): CelQuestion[] {
  const questions: { text: string; texts: readonly CelText[]; clusters: object[] }[] = [];
  for (const { text, texts, cluster } of entries) {
    const last = questions.at(-1);
    if (last?.text === text) last.clusters.push(cluster);
    else questions.push({ text, texts, clusters: [cluster] });
  }
  return questions;
}

/** Evaluates in another thread, the same expressions once for the same facts. */
export function createEvaluateValues(offload: Pick<Offload, 'run'>): EvaluateValues {
  const cache = createLru<CelValues & { size: number }>(CACHED_BYTES, ({ size }) => size);
  const evaluateFresh = (entries: readonly (EntryTexts & { readonly text: string })[], tenant: string) =>
    answerOf<CelValues[]>(
      offload.run(evaluateTask, printJson(questionsOf(entries)), tenant),
      ({ message }) => entries.map(() => ({ problem: `values: evaluating expressions ${message}` })),
      parseJson,
    );
  return async (entries, tenant) => {
    const known = entries.map((entry) => {
      const text = printJson(entry.texts);
      const key = cacheKey(text, entry.cluster);
      const result: CelValues | undefined = cache.get(key);
      return { ...entry, text, key, result };
    });
    const open = known.filter(({ result }) => result === undefined);
    for (let start = 0; start < open.length; start += AT_ONCE) {
      const part = open.slice(start, start + AT_ONCE);
      const results = await evaluateFresh(part, tenant);
      for (const [index, entry] of part.entries()) {
        entry.result = results[index];
        if (entry.result !== undefined) cache.set(entry.key, { ...entry.result, size: printJson(entry.result).length });
      }
    }
    return known.map(({ result }) => result ?? { problem: 'values: there is no result' });
  };
}
