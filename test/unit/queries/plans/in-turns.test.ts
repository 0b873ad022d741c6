import { describe, expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import { mapInTurns } from '#queries/plans/planned.js';
import { plannedChild } from '#queries/plans/plan-view.js';
import { CancelledError } from '#lib/errors.js';
import { application, deploy, observed, decide } from '../../application/model/builders.js';

const never = new AbortController().signal;

/** Counts how often others have the thread while something is computed. */
async function turnsDuring<T>(work: () => Promise<T>): Promise<{ readonly turns: number; readonly result: T }> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  try {
    const result = await work();
    return { turns, result };
  } finally {
    clearImmediate(next);
  }
}

describe('what is mapped in turns', () => {
  const items = Array.from({ length: 100 }, (_, index) => index);

  it.each([
    ['a long one after each', 10, 99],
    ['short ones after some', 1, 9],
    ['what takes no time at once', 0, 0],
  ])('lets others have the thread: %s', async (_what, tookMs, expected) => {
    let nowMs = 0;
    const map = (item: number): number => {
      nowMs += tookMs;
      return item * 2;
    };
    const { turns, result } = await turnsDuring(() => mapInTurns(items, map, { signal: never, now: () => nowMs }));
    expect([turns, result]).toEqual([expected, items.map((item) => item * 2)]);
  });

  it('ends when nobody waits any more', async () => {
    const ending = new AbortController();
    let nowMs = 0;
    let mapped = 0;
    const map = (item: number): void => {
      mapped += 1;
      nowMs += 10;
      if (item === 4) ending.abort();
    };
    const done = mapInTurns(items, map, { signal: ending.signal, now: () => nowMs });
    await expect(done).rejects.toBeInstanceOf(CancelledError);
    expect(mapped).toBe(5);
  });
});

/** An Application with many destinations, each with values of its own. */
function many(text: string) {
  const values = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`key${index}`, { a: `${text}${index}` }]),
  );
  return application(Array.from({ length: 200 }, (_, index) => deploy(`ns${index}`, 'eu', { values })));
}

it('many children that change are compared in turns', async () => {
  const made = decide(observed(many('x'))).steps.flatMap((step) => (step.op === 'create' ? [step.object] : []));
  const owned = made.map((child): Child => ({ ...child, metadata: { ...child.metadata, uid: child.metadata.name } }));
  const { steps } = decide(observed(many('y'), owned));
  const { turns, result } = await turnsDuring(() => mapInTurns(steps, plannedChild, { signal: never }));
  expect(result).toEqual(steps.map(plannedChild));
  expect(result.map(({ action, fields }) => [action, fields?.length])).toContainEqual(['change', 500]);
  expect(turns).toBeGreaterThan(5);
});
