import { describe, expect, it } from '@jest/globals';
import { Queue, systemTimers } from '#runtime/queue/queue.js';
import { fakeTimers } from '../../support/fake-timers.js';

/** Promises that are resolved by now have called back. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
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

  it('gives a namespace more than its share only when none of its keys is being worked on', async () => {
    const queue = new Queue({ shared: 2 });
    for (const key of ['busy/1', 'busy/2', 'busy/3', 'calm/1', 'calm/2']) queue.add(key);
    const taken: (string | undefined)[] = [];
    for (let worker = 0; worker < 4; worker += 1) void queue.take().then((key) => taken.push(key));
    await settled();
    expect(taken).toEqual(['busy/1', 'calm/1']);
    queue.add('late/1');
    await settled();
    expect(taken).toEqual(['busy/1', 'calm/1', 'late/1']);
    queue.done('calm/1');
    await settled();
    expect(taken.slice(3)).toEqual(['calm/2']);
    queue.done('busy/1');
    queue.done('calm/2');
    void queue.take().then((key) => taken.push(key));
    await settled();
    expect(taken.slice(4)).toEqual(['busy/2']);
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

  it('waits longer after each failure of a key, up to the cap, and starts again after forget', () => {
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

  it('lets namespaces take turns', async () => {
    const queue = new Queue();
    for (const key of ['busy/a', 'busy/b', 'busy/c', 'calm/a', 'cluster-scoped']) queue.add(key);
    expect(await drain(queue)).toEqual(['busy/a', 'calm/a', 'cluster-scoped', 'busy/b', 'busy/c']);
  });

  it('observes how long keys waited and were processed, and what is still being processed', async () => {
    const timers = fakeTimers();
    const told: string[] = [];
    const queue = new Queue({
      timers,
      observer: {
        added: () => told.push('added'),
        retried: () => told.push('retried'),
        depth: () => undefined,
        waited: (ms) => told.push(`waited ${ms}`),
        worked: (ms) => told.push(`worked ${ms}`),
      },
    });
    queue.add('a');
    timers.advance(30);
    await queue.take();
    timers.advance(50);
    expect(queue.unfinished()).toEqual([50]);
    queue.done('a');
    queue.addRateLimited('a');
    expect(queue.unfinished()).toEqual([]);
    expect(told).toEqual(['added', 'waited 30', 'worked 50', 'retried']);
  });
});
