import type { Cluster } from '../../cluster/model/cluster.js';
import type { Layer } from '../model/child/layers.js';
import type { CelText } from '../model/destinations/cel-values.js';

/** Text of a user to evaluate for one cluster. */
export interface Question<Source> {
  readonly source: Source;
  readonly cluster: Cluster;
  /** The facts that the text reads; default: those that the evaluator shows of the cluster itself. */
  readonly facts?: object | undefined;
}

/** The reason why there are no values. */
export interface Problem {
  readonly problem: string;
  /** When to ask again even without a change. */
  readonly retryAfterMs?: number;
  /** The template prints a key that the cluster lacks. */
  readonly lacksKey?: boolean;
  /** The text is wrong for every cluster. */
  readonly isInvalid?: boolean;
}

export type Result<Values> = { readonly values: Values } | Problem;

/** The pass of one Application. */
export interface ValuesPass {
  /** The namespace of the Application. */
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** Returns the results in the order of the questions. Throws CancelledError only. */
export type Evaluate<Source, Values> = (
  questions: readonly Question<Source>[],
  pass: ValuesPass,
) => Promise<readonly Result<Values>[]>;

/** A language in which users write values. */
export interface Evaluator<Source, Values> {
  /** The name of its results in the cache. */
  readonly name: string;
  /** The facts that a text reads of a cluster: the same for the same cluster. */
  readonly factsOf: (cluster: Cluster) => object;
  readonly evaluate: Evaluate<Source, Values>;
}

/** The evaluators of a pass. */
export interface Evaluators {
  readonly templates: Evaluate<string, Layer>;
  /** One value for each text. */
  readonly expressions: Evaluate<readonly CelText[], readonly unknown[]>;
}

/** A text that cost too much may have met a busy machine: it is asked again. */
const RETRY_MS = 600_000;
/** A text for which others left no time. */
const NEXT_MS = 60_000;

/** True for what the next pass asks again. */
export function isPostponed(result: Result<unknown>): boolean {
  return 'problem' in result && result.retryAfterMs === NEXT_MS;
}

/** How often tasks may cost too much in one pass, before the other items are left for the next one. */
const MAX_OVERRUNS = 10;
/** How many items may fail, before the same. */
const MAX_FAILURES = 30;

/** The answer of one task. */
export type Answered<Values> =
  | { readonly results: readonly Result<Values>[] }
  /** All together cost too much. */
  | { readonly overrun: string }
  /** One of them fails, and keeps the others from their results. */
  | { readonly failed: number; readonly problem: string }
  /** Not because of the items. */
  | { readonly unavailable: string };

export interface Way<Item, Values> {
  /** Items of one task. */
  readonly atOnce: number;
  /** Default: 10. */
  readonly maxOverruns?: number;
  /** `isPart`: another task cost too much before. */
  readonly ask: (items: readonly Item[], isPart: boolean) => Promise<Answered<Values>>;
  /** The problem of the item that cost too much. */
  readonly refused: (why: string) => string;
  /** The problem of those that were not asked any more. */
  readonly postponed: string;
}

/**
 * Results for items whose cost their authors decide, in tasks of many. One that costs too much is found by division and
 * one that fails is left out, within limits: the others get their results.
 */
export async function askDivided<Item, Values>(
  items: readonly Item[],
  { atOnce, maxOverruns = MAX_OVERRUNS, ask, refused, postponed }: Way<Item, Values>,
): Promise<readonly Result<Values>[]> {
  let [overruns, failures] = [0, 0];
  const later = (part: readonly Item[], problem: string) => part.map(() => ({ problem, retryAfterMs: NEXT_MS }));
  async function without(part: readonly Item[], failed: number, problem: string): Promise<readonly Result<Values>[]> {
    failures += 1;
    const others = await resultsOf(part.filter((_, index) => index !== failed));
    return [...others.slice(0, failed), { problem }, ...others.slice(failed)];
  }
  async function divided(part: readonly Item[], why: string): Promise<readonly Result<Values>[]> {
    overruns += 1;
    if (part.length === 1) return [{ problem: refused(why), retryAfterMs: RETRY_MS }];
    const middle = Math.ceil(part.length / 2);
    const first = await resultsOf(part.slice(0, middle));
    return [...first, ...(await resultsOf(part.slice(middle)))];
  }
  async function resultsOf(part: readonly Item[]): Promise<readonly Result<Values>[]> {
    if (part.length === 0) return [];
    if (overruns >= maxOverruns || failures >= MAX_FAILURES) return later(part, postponed);
    const answered = await ask(part, overruns > 0);
    if ('results' in answered) return answered.results;
    if ('unavailable' in answered) return later(part, answered.unavailable);
    if ('failed' in answered) return without(part, answered.failed, answered.problem);
    return divided(part, answered.overrun);
  }
  const found: Result<Values>[] = [];
  for (let start = 0; start < items.length; start += atOnce)
    found.push(...(await resultsOf(items.slice(start, start + atOnce))));
  return found;
}
