import { answerOf, type Offload, type Task } from '../runtime/offload.js';
import { parseJson, printJson } from '../runtime/pure/lossless-json.js';
import { createLru, type Lru } from '../runtime/pure/lru.js';
import { askDivided, type Answered } from './ask-divided.js';
import { cacheKey } from './cache-key.js';
import { type CelQuestion, type CelText, type CelValues, evaluateTexts } from './model/destinations/cel-values.js';

/** The texts of one entry on one cluster. */
export interface EntryTexts {
  readonly texts: readonly CelText[];
  /** What expressions read as `cluster`; the same object as long as it says the same. */
  readonly cluster: object;
}

/** What the texts of an entry are, or why they are nothing, and perhaps when to ask again. */
export type Evaluated = CelValues & { readonly retryAfterMs?: number };

/** Evaluates the expressions of many entries, in their order; `tenant` is whose they are. */
export type EvaluateValues = (entries: readonly EntryTexts[], tenant: string) => Promise<readonly Evaluated[]>;

const CACHED_BYTES = 16 * 1024 * 1024;
/** Entries of one task. */
const AT_ONCE = 200;
/** What took too long is not evaluated again before. */
const RETRY_MS = 600_000;
const NEXT_MS = 60_000;
const POSTPONED = 'values: expressions are not evaluated yet, because those of many other clusters took too long';

const LOST: Evaluated = { problem: 'values: there is no result' };

function evaluate(input: string): string {
  return printJson((parseJson(input) as CelQuestion[]).flatMap((question) => evaluateTexts(question))); // as #answers prints it
}

/** @public Called by its name: an expression of a line can take years. */
export const evaluateTask: Task = { module: import.meta.url, name: 'evaluateTask', deadlineMs: 5_000, run: evaluate };

/** @public Called by its name: for parts of what took too long. */
export const evaluatePartTask: Task = {
  module: import.meta.url,
  name: 'evaluatePartTask',
  deadlineMs: 2_000,
  run: evaluate,
};

interface Question extends EntryTexts {
  /** Of the texts. */
  readonly text: string;
  readonly key: string;
}

/** Entries with the same texts are compiled once. */
function questionsOf(entries: readonly Question[]): CelQuestion[] {
  const questions: { text: string; texts: readonly CelText[]; clusters: object[] }[] = [];
  for (const { text, texts, cluster } of entries) {
    const last = questions.at(-1);
    if (last?.text === text) last.clusters.push(cluster);
    else questions.push({ text, texts, clusters: [cluster] });
  }
  return questions;
}

/** A task for them. */
function answers(
  questions: readonly Question[],
  task: Task,
  { offload, tenant }: { offload: Pick<Offload, 'run'>; tenant: string },
): Promise<Answered<Evaluated>> {
  const output = offload.run(task, printJson(questionsOf(questions)), tenant);
  return answerOf<Answered<Evaluated>>(
    output,
    ({ message }) => ({ overrun: message }),
    (text) => ({ answers: parseJson(text) as CelValues[] }), // as the task printed it
  );
}

interface Kept {
  readonly result: Evaluated;
  readonly size: number;
  /** Epoch milliseconds; what took too long may have met a busy machine. */
  readonly until: number;
}

function keep(cache: Lru<Kept>, key: string, result: Evaluated, nowMs: number): void {
  const { retryAfterMs = Infinity } = result;
  if (retryAfterMs === NEXT_MS) return;
  cache.set(key, { result, size: printJson(result).length, until: nowMs + retryAfterMs });
}

/**
 * Evaluates in another thread, the same expressions once for the same facts. An entry whose expressions take too long is
 * left out and the others are evaluated, within limits. `now` is epoch milliseconds.
 */
export function createEvaluateValues(offload: Pick<Offload, 'run'>, now: () => number): EvaluateValues {
  const cache = createLru<Kept>(CACHED_BYTES, ({ size }) => size);
  return async (entries, tenant) => {
    const questions = entries.map((entry): Question => {
      const text = printJson(entry.texts);
      return { ...entry, text, key: cacheKey(text, entry.cluster) };
    });
    const results = new Map<Question, Evaluated>();
    for (const each of questions) {
      const kept = cache.get(each.key);
      if (kept !== undefined && kept.until > now()) results.set(each, kept.result);
    }
    const open = questions.filter((each) => !results.has(each));
    const found = await askDivided<Question, Evaluated>(open, {
      atOnce: AT_ONCE,
      ask: (part, isPart) => answers(part, isPart ? evaluatePartTask : evaluateTask, { offload, tenant }),
      refused: (why) => ({ problem: `values: evaluating expressions ${why}`, retryAfterMs: RETRY_MS }),
      postponed: { problem: POSTPONED, retryAfterMs: NEXT_MS },
    });
    for (const [index, each] of open.entries()) {
      const result = found[index] ?? LOST;
      results.set(each, result);
      keep(cache, each.key, result, now());
    }
    return questions.map((each) => results.get(each) ?? LOST);
  };
}
