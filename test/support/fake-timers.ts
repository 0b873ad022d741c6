import type { Timers } from '#runtime/queue/queue.js';

export interface FakeTimers extends Timers {
  /** Moves time on by `ms`, calling what falls due on the way, in order. */
  advance(ms: number): void;
}

/** Time that only moves when told; `random` gives 0 unless another source is passed. */
export function fakeTimers(random: () => number = () => 0): FakeTimers {
  let now = 0;
  let alarms: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    random,
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
