import { createHash } from 'node:crypto';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { createLru } from '#lib/lru.js';

const MOST = 20_000;

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly askedMs: number;
  /** Once it is there. */
  readonly settled?: { readonly value: T; readonly weight: number };
  isAskedAgain?: boolean;
}

export interface AnswersOptions<Q, T> {
  readonly ask: (question: Q) => Promise<T>;
  /** How long an answer is believed. */
  readonly keepMs: number;
  /** How much longer this one may be given while it is asked for again; default: not at all. */
  readonly staleMs?: (answer: T) => number;
  /** Of equal length or unambiguous, and without secrets; default: a digest of the question. */
  readonly keyOf?: (question: Q) => string;
  /** Monotonic milliseconds; default `performance.now`. */
  readonly now?: () => number;
  /** Most answers that are kept. */
  readonly most?: number;
  /** As how many of them one counts; default: one. */
  readonly weigh?: (answer: T) => number;
}

/** As long as a digest, whatever is asked, and no token stays in memory. */
export function digestKey(question: unknown): string {
  return createHash('sha256').update(canonicalJson(question)).digest('base64');
}

/** Asks each question once in a short time, however many ask it, and keeps no failure. Two questions never share a key. */
export class Answers<Q, T> {
  readonly #options: Required<AnswersOptions<Q, T>>;
  readonly #kept;

  constructor(options: AnswersOptions<Q, T>) {
    const defaults = { staleMs: () => 0, keyOf: digestKey, now: () => performance.now(), most: MOST, weigh: () => 1 };
    this.#options = { ...defaults, ...options };
    this.#kept = createLru<Kept<T>>(this.#options.most, ({ settled }) => settled?.weight ?? 1);
  }

  /** Throws what `ask` throws. */
  async to(question: Q): Promise<T> {
    const { keepMs, staleMs, now } = this.#options;
    const key = this.#options.keyOf(question);
    const kept = this.#kept.get(key);
    const age = now() - (kept?.askedMs ?? Number.NEGATIVE_INFINITY);
    const { settled } = kept ?? {};
    const isStale = settled !== undefined && age >= keepMs && age < keepMs + staleMs(settled.value);
    if (kept === undefined || !isStale) return this.#recent(key, question);
    this.#askAgain(key, question, kept);
    return settled.value;
  }

  /** Like `to`, but no answer is older than `keepMs`. */
  recent(question: Q): Promise<T> {
    return this.#recent(this.#options.keyOf(question), question);
  }

  #recent(key: string, question: Q): Promise<T> {
    const { keepMs, now } = this.#options;
    const kept = this.#kept.get(key);
    return kept !== undefined && now() - kept.askedMs < keepMs ? kept.answer : this.#ask(key, question);
  }

  async #ask(key: string, question: Q): Promise<T> {
    const { ask, now } = this.#options;
    // The time counts from the question: the answer may be as old as that.
    const entry: Kept<T> = { askedMs: now(), answer: ask(question) };
    this.#kept.set(key, entry);
    try {
      const value = await entry.answer;
      // Another one may stand there by now.
      if (this.#kept.get(key) === entry) this.#keep(key, entry, value);
      return value;
    } catch (error: unknown) {
      this.#kept.set(key, { ...entry, askedMs: Number.NEGATIVE_INFINITY });
      throw error;
    }
  }

  /** Nobody waits for it. After a failure, the old answer counts until its time is over, and the next one asks again. */
  #askAgain(key: string, question: Q, kept: Kept<T>): void {
    if (kept.isAskedAgain === true) return;
    kept.isAskedAgain = true;
    const { ask, now } = this.#options;
    const askedMs = now();
    const answer = ask(question);
    answer.then(
      (value) => this.#keep(key, { answer, askedMs }, value),
      () => (kept.isAskedAgain = false),
    );
  }

  #keep(key: string, entry: Kept<T>, value: T): void {
    this.#kept.set(key, { ...entry, settled: { value, weight: this.#options.weigh(value) } });
  }
}
