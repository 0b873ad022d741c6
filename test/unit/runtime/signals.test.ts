import { expect, test } from '@jest/globals';
import { linkSignals, untilAborted } from '#runtime/process/signals.js';

test('the first of several signals aborts, for its reason', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const { signal } = linkSignals([first.signal, undefined, second.signal]);
  expect(signal.aborted).toBe(false);
  second.abort('second');
  expect(signal.reason).toBe('second');
});

test('a signal that was aborted before counts', () => {
  expect(linkSignals([AbortSignal.abort('before')]).signal.reason).toBe('before');
});

test('the timeout aborts', async () => {
  const { signal } = linkSignals([new AbortController().signal], 1);
  await untilAborted(signal);
  expect(signal.aborted).toBe(true);
});

test('after unlink, neither a signal nor the timeout aborts', async () => {
  const followed = new AbortController();
  const { signal, unlink } = linkSignals([followed.signal], 1);
  unlink();
  followed.abort();
  await untilAborted(linkSignals([], 20).signal);
  expect(signal.aborted).toBe(false);
});
