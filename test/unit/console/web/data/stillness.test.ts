import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Stillness } from '#console/web/data/stillness.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Milliseconds until `stillness` lets go, while `scroll` is called every 50 ms for `scrollMs`. */
async function waitedFor(stillness: Stillness, scrollMs: number, signal?: AbortSignal): Promise<number> {
  const [begun, ended] = [Date.now(), { at: -1 }];
  if (scrollMs > 0) stillness.scrolled();
  void stillness.until(signal).then(() => (ended.at = Date.now()));
  for (let ms = 0; ms < 30_000 && ended.at < 0; ms += 50) {
    await jest.advanceTimersByTimeAsync(50);
    if (Date.now() - begun <= scrollMs) stillness.scrolled();
  }
  return ended.at - begun;
}

it.each([
  ['nobody scrolls', 0, 0],
  ['somebody scrolled a moment ago', 1, 250],
  ['somebody scrolls for three seconds', 3_000, 3_250],
  ['somebody never stops', 60_000, 10_000],
])('lets go when %s', async (_, scrollMs, waitMs) => {
  expect(await waitedFor(new Stillness(() => Date.now()), scrollMs)).toBe(waitMs);
});

it('waits for no page that is left', async () => {
  expect(await waitedFor(new Stillness(() => Date.now()), 60_000, AbortSignal.abort())).toBe(0);
});

it('hears what any element of the page scrolls', async () => {
  const stillness = new Stillness(() => Date.now());
  const page = new EventTarget();
  stillness.follow(page);
  page.dispatchEvent(new Event('scroll'));
  expect(await waitedFor(stillness, 0)).toBe(250);
});
