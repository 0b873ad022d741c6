import { createHash } from 'node:crypto';
import memoize from 'lodash/memoize.js';
import { printJson } from '#lib/json/lossless-json.js';
import { keptBytes } from '#lib/json/nesting.js';
import { Serial } from '#lib/serial.js';
import { createLru } from '#lib/lru.js';
import type { Cluster } from '../../cluster/model/cluster.js';
import { type Evaluate, type Evaluator, isPostponed, type Question, type Result } from './evaluator.js';

const CACHED_BYTES = 96 * 1024 * 1024;

interface Kept {
  readonly result: Result<unknown>;
  readonly size: number;
  /** Epoch milliseconds. */
  readonly until: number;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** The keys of questions in the cache. */
type KeysOf<Source> = (questions: readonly Question<Source>[]) => readonly string[];

function keysFor<Source>({ name, factsOf }: Pick<Evaluator<Source, unknown>, 'name' | 'factsOf'>): KeysOf<Source> {
  // A cluster is the same object as long as it says the same.
  const clusters = new WeakMap<Cluster, string>();
  const digestOfCluster = (cluster: Cluster): string => {
    const digest = clusters.get(cluster) ?? digestOf(printJson(factsOf(cluster)));
    clusters.set(cluster, digest);
    return digest;
  };
  return (questions) => {
    const digestOfSource = memoize((source: Source) => digestOf(printJson(source)));
    return questions.map(({ source, cluster, facts }) => {
      const ofFacts = facts === undefined ? digestOfCluster(cluster) : digestOf(printJson(facts));
      return digestOf([name, ofFacts, digestOfSource(source)].join('\n'));
    });
  };
}

/**
 * Results of evaluators, together within one size. What cost too much is kept until it is to be asked again, what was
 * postponed is not. `now` is epoch milliseconds.
 */
export class ResultCache {
  readonly #cache = createLru<Kept>(CACHED_BYTES, ({ size }) => size);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The evaluator, which is asked once about the same text and facts. */
  remembering<Source, Values>({ evaluate, ...about }: Evaluator<Source, Values>): Evaluate<Source, Values> {
    const keysOf = keysFor<Source>(about);
    const turns = new Serial();
    return async (questions, pass) => {
      const asked = new Map<string, Question<Source>>();
      const keys = keysOf(questions);
      for (const [index, question] of questions.entries()) asked.set(keys[index] ?? '', question);
      const found = new Map<string, Result<Values>>();
      const askOpen = async (): Promise<void> => {
        const open = this.#open(asked, found);
        const results =
          open.length === 0
            ? []
            : await evaluate(
                open.map(([, question]) => question),
                pass,
              );
        for (const [index, result] of results.entries()) this.#keep(open[index]?.[0] ?? '', result, found);
      };
      // Those of one tenant come one after the other: others must not wait for all of them.
      if (this.#open(asked, found).length > 0) await turns.run(pass.tenant, askOpen);
      return keys.map((key) => found.get(key) ?? { problem: 'there is no result' });
    };
  }

  /** The questions without a kept result; adds the kept results to `found`. */
  #open<Item>(asked: ReadonlyMap<string, Item>, found: Map<string, Result<unknown>>): (readonly [string, Item])[] {
    return [...asked].filter(([key]) => {
      const kept = found.has(key) ? undefined : this.#cache.get(key);
      if (kept !== undefined && kept.until > this.#now()) found.set(key, kept.result);
      return !found.has(key);
    });
  }

  #keep(key: string, result: Result<unknown>, found: Map<string, Result<unknown>>): void {
    found.set(key, result);
    if (isPostponed(result)) return;
    const retryAfterMs = 'problem' in result ? (result.retryAfterMs ?? Infinity) : Infinity;
    const size = keptBytes(printJson(result)) + key.length;
    this.#cache.set(key, { result, size, until: this.#now() + retryAfterMs });
  }
}
