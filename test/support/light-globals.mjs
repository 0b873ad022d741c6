/**
 * `@jest/globals` for tests of jest-light-runner. Adds time limits, which that runner lacks, so that a test that never
 * ends fails by name.
 */
import { ModernFakeTimers } from '@jest/fake-timers';

const TIMEOUT_MS = 120_000;

const { expect } = globalThis;
// Kept here because tests replace those of `globalThis` with fakes.
const { clearTimeout, setTimeout } = globalThis;

const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });

/** Adds fake timers with options, which the runner lacks. */
const jest = {
  ...globalThis.jest,
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  getTimerCount: () => timers.getTimerCount(),
};

function limited(run, timeoutMs = TIMEOUT_MS) {
  if (run === undefined) return undefined;
  return async (...args) => {
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`it takes longer than ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([run(...args), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Adds time limits to `test`. `each` calls the test with the values of its row. */
function withLimits(define) {
  const limitedTest = (name, run, timeoutMs) => define(name, limited(run, timeoutMs), timeoutMs);
  limitedTest.each =
    (...table) =>
    (name, run, timeoutMs) =>
      define.each(...table)(name, limited(run, timeoutMs), timeoutMs);
  if (define.skip !== undefined) limitedTest.skip = define.skip;
  return limitedTest;
}

const hookWithLimits = (define) => (run, timeoutMs) => define(limited(run, timeoutMs), timeoutMs);

const test = withLimits(globalThis.test);
const { describe } = globalThis;
const beforeAll = hookWithLimits(globalThis.beforeAll);
const afterAll = hookWithLimits(globalThis.afterAll);
const beforeEach = hookWithLimits(globalThis.beforeEach);
const afterEach = hookWithLimits(globalThis.afterEach);

export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test, test as it };
