import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Queue, systemTimers, type Timers } from '../../../controllers/runtime/queue.js';

/** Time that only moves when told. */
function fakeTimers(): Timers & { advance: (ms: number) => void } {
  let now = 0;
  let alarms: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    random: () => 0,
    after: (delayMs, callback) => {
      const alarm = { at: now + delayMs, callback };
      alarms.push(alarm);
      return () => (alarms = alarms.filter((each) => each !== alarm));
    },
    advance: (ms) => {
      const until = now + ms;
      for (;;) {
        const [next] = alarms.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        alarms = alarms.filter((each) => each !== next);
        now = next.at;
        next.callback();
      }
      now = until;
    },
  };
}

async function drain(queue: Queue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) {
    const key = await queue.take();
    if (key === undefined) break;
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('Queue', () => {
  it('gives each key once however often it was added, in order', async () => {
    const queue = new Queue();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(await drain(queue)).toEqual(['a', 'b', 'c']);
  });

  it('never gives a key to two workers, but runs it again when it was added meanwhile', async () => {
    const queue = new Queue();
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.depth).toBe(0);
    queue.done('a');
    expect(await drain(queue)).toEqual(['a']);
  });

  it('hands a key to the worker that has waited longest', async () => {
    const queue = new Queue();
    const [first, second] = [queue.take(), queue.take()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  });

  it('keeps the earlier of two delays, and forgets the delay when the key is added', async () => {
    const timers = fakeTimers();
    const queue = new Queue({ timers });
    queue.addAfter('a', 100);
    queue.addAfter('a', 500);
    queue.addAfter('b', 500);
    queue.addAfter('b', 200);
    timers.advance(100);
    expect(await drain(queue)).toEqual(['a']);
    queue.add('b');
    expect(await drain(queue)).toEqual(['b']);
    timers.advance(1_000);
    expect(queue.depth).toBe(0);
  });

  it('waits longer after each failure of a key, up to the cap, and starts anew after forget', () => {
    const timers = fakeTimers();
    const queue = new Queue({ timers, backoff: { baseMs: 100, capMs: 400 } });
    const delays: number[] = [];
    const measure = (): void => {
      const from = timers.now();
      queue.addRateLimited('a');
      while (queue.depth === 0) timers.advance(1);
      delays.push(timers.now() - from);
    };
    for (let failure = 0; failure < 4; failure += 1) {
      measure();
      void queue.take();
      queue.done('a');
    }
    queue.forget('a');
    measure();
    expect(delays).toEqual([100, 200, 400, 400, 100]);
  });

  it('honours what the server asked for when that is longer than the backoff', () => {
    const timers = fakeTimers();
    const queue = new Queue({ timers, backoff: { baseMs: 100, capMs: 400 } });
    queue.addRateLimited('a', 1_000);
    timers.advance(999);
    expect(queue.depth).toBe(0);
    timers.advance(1);
    expect(queue.depth).toBe(1);
  });

  it('does not take a delay that no timer can hold for no delay', async () => {
    const queue = new Queue({ timers: systemTimers });
    queue.addAfter('a', 876_000 * 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(queue.depth).toBe(0);
    queue.close();
  });

  it('ends waiting workers when it is closed, and takes nothing more', async () => {
    const queue = new Queue();
    const waiting = queue.take();
    queue.close();
    queue.add('a');
    expect(await waiting).toBeUndefined();
    expect(await queue.take()).toBeUndefined();
  });

  type Step = { do: 'add' | 'delay' | 'take' | 'done' | 'advance'; key: string };
  const steps = fc.array(
    fc.record<Step>({
      do: fc.constantFrom('add', 'delay', 'take', 'done', 'advance'),
      key: fc.constantFrom('a', 'b', 'c'),
    }),
    { maxLength: 60 },
  );

  /** A queue with its workers as the rules see them: who is at work, and which keys still need a run. */
  class Model {
    readonly #timers = fakeTimers();
    readonly #queue = new Queue({ timers: this.#timers });
    readonly #active = new Set<string>();
    readonly #owed = new Set<string>();

    async run({ do: action, key }: Step): Promise<void> {
      if (action === 'add' || action === 'delay') this.#owed.add(key);
      if (action === 'add') this.#queue.add(key);
      if (action === 'delay') this.#queue.addAfter(key, 10);
      if (action === 'advance') this.#timers.advance(10);
      if (action === 'take' && this.#queue.depth > 0) await this.#take();
      if (action === 'done' && this.#active.delete(key)) this.#queue.done(key);
    }

    async #take(): Promise<void> {
      const key = (await this.#queue.take())!;
      expect(this.#active.has(key)).toBe(false);
      this.#active.add(key);
      this.#owed.delete(key);
    }

    async settle(): Promise<void> {
      for (const key of this.#active) this.#queue.done(key);
      this.#timers.advance(1_000);
      expect(await drain(this.#queue)).toEqual(expect.arrayContaining([...this.#owed]));
    }
  }

  it('loses no key and never has one key at work twice, whatever the order of events', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const model = new Model();
        for (const step of sequence) await model.run(step);
        await model.settle();
      }),
    );
  });
});
