import { describe, expect, it } from '@jest/globals';
import { RetryBudget } from '#lib/retry/retry.js';

function retriesOf(budget: RetryBudget, wanted: number): number {
  let made = 0;
  for (let retry = 0; retry < wanted; retry += 1) made += budget.withdraw() ? 1 : 0;
  return made;
}

describe('RetryBudget', () => {
  it('allows a burst of 20 to a client that has asked nothing yet', () => {
    expect(retriesOf(new RetryBudget(), 100)).toBe(20);
  });

  it('allows one retry to five requests when everything fails', () => {
    const budget = new RetryBudget();
    let retries = 0;
    for (let request = 0; request < 1_000; request += 1) {
      budget.deposit();
      retries += retriesOf(budget, 3);
    }
    expect(retries).toBeGreaterThan(200);
    expect(retries).toBeLessThanOrEqual(220);
  });

  it('does not save more than the burst', () => {
    const budget = new RetryBudget();
    for (let request = 0; request < 10_000; request += 1) budget.deposit();
    expect(retriesOf(budget, 100)).toBe(20);
  });
});
