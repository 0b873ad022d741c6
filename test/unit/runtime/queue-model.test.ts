import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Queue } from '#runtime/queue/queue.js';
import { fakeTimers } from '../../support/fake-timers.js';

const BACKOFF = { baseMs: 10, capMs: 80 };
const KEYS = ['a', 'b', 'x/a', 'x/b', 'y/a'] as const;

type Step =
  | { do: 'add' | 'fail' | 'forget' | 'done'; key: string }
  | { do: 'delay'; key: string; ms: number }
  | { do: 'advance'; ms: number }
  | { do: 'take' };

const key = fc.constantFrom(...KEYS);
const ms = fc.integer({ min: 1, max: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('add', 'fail', 'forget', 'done'), key }),
  fc.record({ do: fc.constant('delay'), key, ms }),
  fc.record({ do: fc.constant('advance'), ms }),
  fc.record({ do: fc.constant('take') }),
);

/**
 * The rules of client-go's queue, in the plainest form: a key waits, is delayed until a time, or neither; independently
 * of that it may be in the hands of one worker, and then what falls due waits until it is given back.
 */
class Model {
  readonly waiting = new Set<string>();
  readonly active = new Set<string>();
  readonly dirty = new Set<string>();
  readonly dueAt = new Map<string, number>();
  readonly failures = new Map<string, number>();
  now = 0;

  add(name: string): void {
    this.dueAt.delete(name);
    (this.active.has(name) ? this.dirty : this.waiting).add(name);
  }

  delay(name: string, delayMs: number): void {
    this.dueAt.set(name, Math.min(this.dueAt.get(name) ?? Infinity, this.now + delayMs));
  }

  fail(name: string): void {
    const count = this.failures.get(name) ?? 0;
    this.failures.set(name, count + 1);
    this.delay(name, Math.min(BACKOFF.capMs, BACKOFF.baseMs * 2 ** count));
  }

  advance(byMs: number): void {
    this.now += byMs;
    for (const [name, at] of [...this.dueAt]) if (at <= this.now) this.add(name);
  }

  take(name: string): void {
    expect(this.waiting.delete(name)).toBe(true);
    expect(this.active.has(name)).toBe(false);
    this.active.add(name);
  }

  done(name: string): void {
    this.active.delete(name);
    if (this.dirty.delete(name)) this.add(name);
  }
}

/** Does one thing to the queue and to the model, and compares what can be seen of both. */
class Pair {
  readonly timers = fakeTimers();
  readonly queue = new Queue({ timers: this.timers, backoff: BACKOFF });
  readonly model = new Model();

  async run(each: Step): Promise<void> {
    const { queue, model } = this;
    switch (each.do) {
      case 'add':
        queue.add(each.key);
        model.add(each.key);
        break;
      case 'fail':
        queue.addRateLimited(each.key);
        model.fail(each.key);
        break;
      case 'forget':
        queue.forget(each.key);
        model.failures.delete(each.key);
        break;
      case 'delay':
        queue.addAfter(each.key, each.ms);
        model.delay(each.key, each.ms);
        break;
      case 'advance':
        this.timers.advance(each.ms);
        model.advance(each.ms);
        break;
      default:
        await this.#work(each);
    }
    expect(queue.depth).toBe(model.waiting.size);
    expect(queue.unfinished()).toHaveLength(model.active.size);
  }

  async #work(each: Step): Promise<void> {
    if (each.do === 'done' && this.model.active.has(each.key)) {
      this.queue.done(each.key);
      this.model.done(each.key);
    }
    if (each.do === 'take' && this.queue.depth > 0) this.model.take((await this.queue.take())!);
  }

  /** Lets every worker finish and all time pass. */
  async settle(): Promise<void> {
    for (const name of [...this.model.active]) await this.run({ do: 'done', key: name });
    await this.run({ do: 'advance', ms: 1_000 });
    while (this.queue.depth > 0) await this.run({ do: 'take' });
  }
}

describe('the queue compared with a model of its rules', () => {
  it('loses no key, gives none to two workers, and hands out what is due and only that', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 100 }), async (steps) => {
        const pair = new Pair();
        for (const each of steps) await pair.run(each);
        await pair.settle();
        expect([...pair.model.waiting, ...pair.model.dueAt.keys()]).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('hands out delayed keys in the order in which they fall due', async () => {
    const delays = fc.uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(delays, async (each) => {
        const timers = fakeTimers();
        const queue = new Queue({ timers });
        each.forEach((delayMs) => queue.addAfter(`key-${delayMs}`, delayMs));
        timers.advance(10_000);
        const taken: (string | undefined)[] = [];
        while (queue.depth > 0) taken.push(await queue.take());
        expect(taken).toEqual([...each].sort((a, b) => a - b).map((delayMs) => `key-${delayMs}`));
      }),
    );
  });
});
