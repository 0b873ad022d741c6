import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { Turns } from '#console/server/turns.js';

const USER = { username: 'a' };
const TOO_MANY = { code: 429 };
const LONG_MS = 60_000;

/** As much of a response as a turn looks at. */
function answering(): ServerResponse & { close: () => void } {
  const response = Object.assign(new EventEmitter(), { closed: false });
  const close = (): void => {
    response.closed = true;
    response.emit('close');
  };
  return Object.assign(response, { close }) as unknown as ServerResponse & { close: () => void };
}

/** One turn of each user, and what ends when the server does. */
function turnsOf(): { turns: Turns; stop: () => void } {
  let stop = (): void => undefined;
  const addHook = (_: string, hook: (done: () => void) => void): void => {
    stop = () => hook(() => undefined);
  };
  const app = { addHook } as unknown as ConstructorParameters<typeof Turns>[0];
  const turns = new Turns(app, { perUser: 1, total: 2, what: 'reads' });
  return { turns, stop: () => stop() };
}

describe('a turn', () => {
  test('lasts until the answer has ended, or the user is gone', () => {
    const { turns } = turnsOf();
    const response = answering();
    const signal = turns.begin(USER, response, LONG_MS);
    expect(() => turns.begin(USER, answering(), LONG_MS)).toThrow(expect.objectContaining(TOO_MANY));
    response.close();
    expect(signal.aborted).toBe(true);
    expect(turns.begin(USER, response, LONG_MS).aborted).toBe(true);
    const next = answering();
    expect(turns.begin(USER, next, LONG_MS).aborted).toBe(false);
    next.close();
  });

  test('of work that nothing stops lasts until it has ended, also for who hangs up', async () => {
    const { turns } = turnsOf();
    const response = answering();
    let end = (): void => undefined;
    const work = (): Promise<void> => new Promise((resolve) => (end = resolve));
    const answer = turns.until(USER, { response, limitMs: LONG_MS }, work);
    response.close();
    await expect(answer).rejects.toMatchObject({ code: 503 });
    const another = { response: answering(), limitMs: LONG_MS };
    await expect(turns.until(USER, another, () => Promise.resolve('early'))).rejects.toMatchObject(TOO_MANY);
    end();
    await new Promise(setImmediate);
    expect(await turns.until(USER, another, () => Promise.resolve('there'))).toBe('there');
  });

  test('of such work ends with what it throws, or when the server does', async () => {
    const { turns, stop } = turnsOf();
    const failing = { response: answering(), limitMs: LONG_MS };
    await expect(turns.until(USER, failing, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    let end = (): void => undefined;
    const long = turns.until(USER, failing, () => new Promise<void>((resolve) => (end = resolve)));
    stop();
    await expect(long).rejects.toMatchObject({ code: 503 });
    end();
  });
});
