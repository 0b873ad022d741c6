import pLimit from 'p-limit';
import { Refusal } from '../shared/refusal.js';

export interface QuestionsLimits {
  /** How many are asked at a time, by all users together. */
  readonly atOnce: number;
  /** How many may wait; more are refused. */
  readonly mostWaiting: number;
}

/** What the server asks the API server about its users: they may not make it ask any number of questions. */
export class Questions {
  readonly #limit;
  readonly #mostWaiting: number;

  constructor({ atOnce, mostWaiting }: QuestionsLimits) {
    this.#limit = pLimit(atOnce);
    this.#mostWaiting = mostWaiting;
  }

  /** Throws a Refusal (503) if too many wait, and what `ask` throws. */
  async ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#limit.pendingCount >= this.#mostWaiting) {
      throw new Refusal(503, 'too many questions wait for the API server: try again later');
    }
    return this.#limit(ask);
  }
}
