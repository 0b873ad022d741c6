import { describe, expect, it } from '@jest/globals';
import { elapsedOf, unmatchedMs } from '#controllers/application/model/children/elapsed.js';
import { fateText } from '#controllers/application/model/clusters/leaving.js';
import { RemovalWindow } from '#controllers/application/model/clusters/removals.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { CountedRemovals, Unmatched } from '#controllers/application/memory.js';

const made = (uid: string): Child => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: uid, uid },
  spec: {},
});

function forMs(unmatched: Unmatched, application: string, fate: { child: Child; to?: string }, nowMs: number): number {
  return unmatchedMs(elapsedOf({ unmatchedSince: unmatched.since(application) }, nowMs), fateText(fate));
}

const leaving = (uid: string): { child: Child } => ({ child: made(uid) });

describe('the time without an entry', () => {
  it('counts from the first pass without one, and again after one with an entry', () => {
    const unmatched = new Unmatched();
    const [a, b] = [leaving('a'), leaving('b')];
    expect(forMs(unmatched, 'shop/web', a, 5)).toBe(0);
    unmatched.remember('shop/web', [a], 10);
    unmatched.remember('shop/web', [a, b], 20);
    expect([a, b].map((each) => forMs(unmatched, 'shop/web', each, 30))).toEqual([20, 10]);
    expect(forMs(unmatched, 'shop/other', a, 30)).toBe(0);
    unmatched.remember('shop/web', [b], 40);
    unmatched.remember('shop/web', [a, b], 50);
    expect([a, b].map((each) => forMs(unmatched, 'shop/web', each, 60))).toEqual([10, 40]);
    unmatched.forget('shop/web');
    expect(forMs(unmatched, 'shop/web', b, 60)).toBe(0);
  });

  it('begins again for a child that was to move, and is now to be deleted or to move elsewhere', () => {
    const unmatched = new Unmatched();
    unmatched.remember('shop/web', [{ ...leaving('a'), to: 'web' }], 10);
    expect(forMs(unmatched, 'shop/web', { ...leaving('a'), to: 'web' }, 40)).toBe(30);
    expect(forMs(unmatched, 'shop/web', leaving('a'), 40)).toBe(0);
    expect(forMs(unmatched, 'shop/web', { ...leaving('a'), to: 'other' }, 40)).toBe(0);
  });
});

describe('the time for which removals count', () => {
  const at = (minute: number): string => new Date(minute * 60_000).toISOString().replace('.000Z', 'Z');
  const counted = [{ until: at(60), ran: 20, removed: 4 }];
  const read = (memory: CountedRemovals, wallMinute: number, steadyMinute: number): RemovalWindow => {
    const clocks = { nowMs: wallMinute * 60_000, steadyMs: steadyMinute * 60_000 };
    return new RemovalWindow(counted, 16, clocks.nowMs, memory.leftMs('shop/web', counted, clocks));
  };

  it('does not end because the clock is set forward', () => {
    const memory = new CountedRemovals();
    expect(read(memory, 0, 100)).toMatchObject({ removed: 4, fewerAfterMs: 3_600_000 });
    expect(read(memory, 600, 101)).toMatchObject({ removed: 4, fewerAfterMs: 59 * 60_000 });
    expect(read(memory, 659, 160).removed).toBe(0);
  });

  it('does not end either because the clock is set back', () => {
    const memory = new CountedRemovals();
    expect(read(memory, 0, 100).removed).toBe(4);
    expect(read(memory, -30, 170)).toMatchObject({ removed: 4, fewerAfterMs: 90 * 60_000 });
  });

  it('is that of the status after a restart', () => {
    expect(read(new CountedRemovals(), 61, 100).removed).toBe(0);
  });
});
