import { createHash } from 'node:crypto';
import { canonicalJson } from '#controllers/runtime/pure/canonical-json.js';
import { createLru } from '#controllers/runtime/pure/lru.js';

const MOST = 20_000;

interface Kept<T> {
  readonly answer: Promise<T>;
  readonly untilMs: number;
}

export interface AnswersOptions<Q, T> {
  readonly ask: (question: Q) => Promise<T>;
  /** How long an answer is believed. */
  readonly keepMs: number;
  /** Monotonic milliseconds; default `performance.now`. */
  readonly now?: () => number;
  /** Most answers that are kept. */
  readonly most?: number;
}

/** Asks each question once in a short time, however many ask it, and keeps no failure. Two questions never share a key. */
export class Answers<Q, T> {
  readonly #options: AnswersOptions<Q, T>;
  readonly #kept;

  constructor(options: AnswersOptions<Q, T>) {
    this.#options = options;
    this.#kept = createLru<Kept<T>>(options.most ?? MOST);
  }

  async to(question: Q): Promise<T> {
    const { ask, keepMs, now = () => performance.now() } = this.#options;
    // As long as a digest, whatever is asked, and no token stays in memory.
    const key = createHash('sha256').update(canonicalJson(question)).digest('base64');
    const kept = this.#kept.get(key);
    if (kept !== undefined && now() < kept.untilMs) return kept.answer;
    // The time counts from the question: the answer may be as old as that.
    const entry = { answer: ask(question), untilMs: now() + keepMs };
    this.#kept.set(key, entry);
    try {
      return await entry.answer;
    } catch (error: unknown) {
      this.#kept.set(key, { ...entry, untilMs: Number.NEGATIVE_INFINITY });
      throw error;
    }
  }
}
