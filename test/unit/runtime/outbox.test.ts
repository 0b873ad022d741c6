import { describe, expect, it } from '@jest/globals';
import { Outbox } from '#controllers/runtime/outbox.js';
import { fakeTimers } from '#test/support/fake-timers.js';

/** An outbox whose jobs are letters: what was sent, and what is under way until it is told to end. */
function setUp(): {
  outbox: Outbox;
  sent: string[];
  state: { isBusy: boolean };
  timers: ReturnType<typeof fakeTimers>;
  send: (letters: string) => void;
} {
  const timers = fakeTimers();
  const state = { isBusy: false };
  const sent: string[] = [];
  const outbox = new Outbox({ timers, isBusy: () => state.isBusy });
  const send = (letters: string): void => {
    for (const letter of letters) {
      outbox.add(async () => {
        sent.push(letter);
        await Promise.resolve();
      });
    }
  };
  return { outbox, sent, state, timers, send };
}

describe('Outbox', () => {
  it('sends at once when nothing is urgent', () => {
    const { sent, send } = setUp();
    send('a');
    expect(sent).toEqual(['a']);
  });

  it('sends a few at a time, in order', async () => {
    const { outbox, sent, send } = setUp();
    send('abcdefghij');
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
    await outbox.flush(60_000);
    expect(sent.join('')).toBe('abcdefghij');
  });

  it('waits while something is urgent, and goes on by itself when nothing is', async () => {
    const { outbox, sent, state, timers, send } = setUp();
    state.isBusy = true;
    send('ab');
    timers.advance(5_000);
    expect(sent).toEqual([]);
    state.isBusy = false;
    timers.advance(100);
    expect(sent).toEqual(['a', 'b']);
    await outbox.flush(60_000);
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
    const { outbox, sent, state, send } = setUp();
    state.isBusy = true;
    send('abcdefghij');
    await outbox.flush(60_000);
    expect(sent.join('')).toBe('abcdefghij');
    send('k');
    expect(sent).toHaveLength(10);
  });

  it('drops what comes while five thousand wait', async () => {
    const { outbox, sent, state, send } = setUp();
    state.isBusy = true;
    send('a'.repeat(5_000));
    send('b');
    await outbox.flush(60_000);
    expect(sent).toHaveLength(5_000);
    expect(sent).not.toContain('b');
  });

  it('drops what has not begun when the time of a flush is up', async () => {
    const { outbox, sent, timers } = setUp();
    const answers: (() => void)[] = [];
    const slow = (letter: string) => (): Promise<void> => {
      sent.push(letter);
      return new Promise((resolve) => answers.push(resolve));
    };
    for (const letter of 'abcdef') outbox.add(slow(letter));
    const flushed = outbox.flush(5_000);
    timers.advance(5_000);
    for (const answer of answers) answer();
    await flushed;
    expect(sent.join('')).toBe('abcd');
  });
});
