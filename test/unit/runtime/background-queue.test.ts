import { describe, expect, it } from '@jest/globals';
import { BackgroundQueue } from '#runtime/queue/background-queue.js';
import { fakeTimers } from '../../support/fake-timers.js';

/** A queue whose jobs are letters, which `sent` lists in the order of their start. */
function setUp(): {
  queue: BackgroundQueue;
  sent: string[];
  state: { isBusy: boolean };
  timers: ReturnType<typeof fakeTimers>;
  send: (letters: string) => void;
} {
  const timers = fakeTimers();
  const state = { isBusy: false };
  const sent: string[] = [];
  const queue = new BackgroundQueue({ timers, isBusy: () => state.isBusy });
  const send = (letters: string): void => {
    for (const letter of letters) {
      queue.add(async () => {
        sent.push(letter);
        await Promise.resolve();
      });
    }
  };
  return { queue, sent, state, timers, send };
}

describe('BackgroundQueue', () => {
  it('sends at once when nothing is urgent', () => {
    const { sent, send } = setUp();
    send('a');
    expect(sent).toEqual(['a']);
  });

  it('sends a few at a time, in order', async () => {
    const { queue, sent, send } = setUp();
    send('abcdefghij');
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
    await queue.flush(60_000);
    expect(sent.join('')).toBe('abcdefghij');
  });

  it('waits while urgent work waits, and continues afterwards', async () => {
    const { queue, sent, state, timers, send } = setUp();
    state.isBusy = true;
    send('ab');
    timers.advance(5_000);
    expect(sent).toEqual([]);
    state.isBusy = false;
    timers.advance(100);
    expect(sent).toEqual(['a', 'b']);
    await queue.flush(60_000);
  });

  it('waits no longer than ten seconds, however busy all is, each counted from its own start', () => {
    const { sent, state, timers, send } = setUp();
    state.isBusy = true;
    send('a');
    timers.advance(6_000);
    send('b');
    timers.advance(4_000);
    expect(sent).toEqual(['a']);
  });

  it('sends all that waits when it is flushed, and resolves when the last one has ended', async () => {
    const { queue, sent, state, send } = setUp();
    state.isBusy = true;
    send('abcdefghij');
    await queue.flush(60_000);
    expect(sent.join('')).toBe('abcdefghij');
    send('k');
    expect(sent).toHaveLength(10);
  });

  it('drops what comes while five thousand wait', async () => {
    const { queue, sent, state, send } = setUp();
    state.isBusy = true;
    send('a'.repeat(5_000));
    send('b');
    await queue.flush(60_000);
    expect(sent).toHaveLength(5_000);
    expect(sent).not.toContain('b');
  });

  it('drops what has not begun when the time of a flush is up', async () => {
    const { queue, sent, timers } = setUp();
    const answers: (() => void)[] = [];
    const slow = (letter: string) => (): Promise<void> => {
      sent.push(letter);
      return new Promise((resolve) => answers.push(resolve));
    };
    for (const letter of 'abcdef') queue.add(slow(letter));
    const flushed = queue.flush(5_000);
    timers.advance(5_000);
    for (const answer of answers) answer();
    await flushed;
    expect(sent.join('')).toBe('abcd');
  });
});
