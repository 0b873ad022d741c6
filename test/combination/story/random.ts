import { seededRandom } from '#bench/scenarios/eventually.js';

/** Random choices that one number decides: the same seed makes the same choices, on every machine. */
export class Random {
  /** Returns a number in [0, 1). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededRandom(seed);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of several, which must not be none. */
  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!; // in range, as there is one
  }

  /** One of several, by their weights. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.next() * total;
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return items.at(-1)![1]; // rounding only
  }
}
