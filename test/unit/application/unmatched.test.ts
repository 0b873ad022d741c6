import { describe, expect, it } from '@jest/globals';
import { fateText } from '#controllers/application/model/clusters/leaving.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { Unmatched } from '#controllers/application/memory.js';

const made = (uid: string): Child => ({
  apiVersion: 'helm.toolkit.fluxcd.io/v2',
  kind: 'HelmRelease',
  metadata: { name: uid, uid },
  spec: {},
});

function forMs(unmatched: Unmatched, application: string, fate: { child: Child; to?: string }, nowMs: number): number {
  return nowMs - (unmatched.since(application).get(fateText(fate)) ?? nowMs);
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
