import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import {
  allowedRemovals,
  guardRemovals,
  isMaxRemovals,
  type Leaving,
  type MaxRemovals,
  type RemovalsInput,
} from '#controllers/application/model/clusters/removals.js';
import { timestamp } from '#controllers/runtime/pure/conditions.js';
import type { Child } from '#controllers/application/model/types.js';
import { application } from '../builders.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;

function leaves(count: number, uninstalls = true): Leaving[] {
  return Array.from({ length: count }, (_, index): Leaving => {
    const metadata = { name: `c${index}`, namespace: 'shop', uid: `uid-${index}` };
    const child: Child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec: {} };
    return { child, uninstalls };
  });
}

function limited(
  maxRemovals?: MaxRemovals,
  removals?: NonNullable<ApplicationStatus['removals']>,
  approval?: string,
): Application {
  const base = application([]);
  const annotations = approval === undefined ? {} : { 'gitops.kubesphere.io/approve-removals': approval };
  return {
    ...base,
    metadata: { ...base.metadata, annotations },
    spec: { ...base.spec, ...(maxRemovals === undefined ? {} : { maxRemovals }) },
    status: removals === undefined ? {} : { removals },
  };
}

function guard(leaving: readonly Leaving[], more: Partial<RemovalsInput> = {}) {
  const timing = { unmatchedForMs: () => 60_000, delayMs: 30_000, nowMs: NOW };
  return guardRemovals({ application: limited(), leaving, staying: 100, ...timing, ...more });
}

describe('a limit of removals', () => {
  it.each<[MaxRemovals | undefined, number, number]>([
    [undefined, 5, 10],
    [undefined, 50, 10],
    [undefined, 1_000, 200],
    [0, 1_000, 0],
    ['0%', 1_000, 0],
    [3, 1_000, 3],
    ['20%', 7, 1],
    ['100%', 7, 7],
  ])('of %s of %d allows %d', (max, ran, allowed) => {
    expect(allowedRemovals(max, ran)).toBe(allowed);
  });

  it.each<[MaxRemovals, boolean]>([
    [0, true],
    [7, true],
    ['0%', true],
    ['100%', true],
    [-1, false],
    [1.5, false],
    [Number.NaN, false],
    ['', false],
    ['10', false],
    ['101%', false],
    ['-5%', false],
    ['5 %', false],
    ['05%', false],
    ['all', false],
  ])('may be %p: %p', (max, isValid) => {
    expect(isMaxRemovals(max)).toBe(isValid);
  });
});

describe('removals', () => {
  const held = (input: Parameters<typeof guard>): number => guard(...input).held.size;
  const hourOld = (removed: number, ageMs = 0) => ({ since: timestamp(NOW - ageMs), ran: 100, removed });
  const cases: Record<string, [Parameters<typeof guard>, number]> = {
    'within the limit go': [[leaves(10)], 0],
    'over the limit stay, all of them': [[leaves(21), { staying: 50 }], 21],
    'are limited by what ran, with those that leave': [[leaves(20), { staying: 80 }], 0],
    'of all but the last one stay, unless a limit is set': [[leaves(3), { staying: 0 }], 3],
    'of the last one stay, also in a later hour': [
      [leaves(1), { staying: 0, application: limited(undefined, hourOld(9, 2 * HOUR)) }],
      1,
    ],
    'of all go if the limit allows that': [[leaves(3), { staying: 0, application: limited('100%') }], 0],
    'of the only one go': [[leaves(1), { staying: 0 }], 0],
    'of the last one after others stay': [
      [leaves(1), { staying: 0, application: limited(undefined, { ...hourOld(1), ran: 2 }) }],
      1,
    ],
    'never go at 0': [[leaves(1), { application: limited(0) }], 1],
    'never go at 0%': [[leaves(1), { application: limited('0%') }], 1],
    'count with those of the hour': [[leaves(6), { application: limited(undefined, hourOld(15)) }], 6],
    'count no longer after the hour': [[leaves(6), { application: limited(undefined, hourOld(15, HOUR)) }], 0],
    'are counted on by a clock that went back': [
      [leaves(6), { application: limited(undefined, hourOld(15, -HOUR)) }],
      6,
    ],
    'wait until their cluster has not matched for a while': [[leaves(2), { unmatchedForMs: () => 29_999 }], 2],
  };
  it.each(Object.entries(cases))('%s', (_, [input, count]) => {
    expect(held(input)).toBe(count);
  });

  it('that are approved go at once, and do not count', () => {
    const { approval } = guard(leaves(50));
    const approved = guard(leaves(50), { application: limited(0, undefined, approval), unmatchedForMs: () => 0 });
    expect(approved.held.size).toBe(0);
    expect(approved.countAfter(50)).toEqual({ since: timestamp(NOW), ran: 100, removed: 0 });
  });

  it('that are approved do not make others forgotten', () => {
    const counted = hourOld(10, 5_000);
    const staying = 19;
    const { approval } = guard(leaves(1), { staying, application: limited(10, counted) });
    const approved = guard(leaves(1), { staying, application: limited(10, counted, approval) });
    const removals = approved.countAfter(1);
    expect(removals).toEqual({ ...counted, ran: 19 });
    expect(guard(leaves(10), { staying: 9, application: limited(10, removals, approval) }).held.size).toBe(10);
  });

  it('are not approved by what approved others', () => {
    const { approval } = guard(leaves(50));
    const others: Leaving[][] = [leaves(49), leaves(51), leaves(50, false)];
    for (const leaving of others) {
      const again = guard(leaving, { application: limited(undefined, undefined, approval) });
      expect(again.held.size).toBe(leaving.length);
      expect(again.approval).not.toBe(approval);
    }
  });

  it('have an approval that does not depend on their order', () => {
    expect(guard(leaves(50).reverse()).approval).toBe(guard(leaves(50)).approval);
  });

  it('are reconciled again when they may go', () => {
    expect(guard(leaves(2), { unmatchedForMs: () => 10_000 }).retryAfterMs).toBe(20_000);
    expect(guard(leaves(2)).retryAfterMs).toBeUndefined();
    const since = limited(undefined, hourOld(19, HOUR - 5_000));
    expect(guard(leaves(2), { application: since }).retryAfterMs).toBe(5_000);
  });

  it('of an hour never exceed the limit, however many passes remove them', () => {
    const passes = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.integer({ min: 0, max: HOUR / 2 })), { maxLength: 30 });
    fc.assert(
      fc.property(passes, fc.constantFrom<MaxRemovals | undefined>(undefined, 0, 5, '7%', '50%'), (list, max) => {
        let running = 100;
        let now = NOW;
        let removals: ApplicationStatus['removals'];
        for (const [count, pause] of list) {
          now += pause;
          const leaving = leaves(Math.min(count, running));
          const staying = running - leaving.length;
          const app = limited(max, removals);
          const { held, countAfter } = guard(leaving, { application: app, staying, nowMs: now });
          const gone = leaving.length - held.size;
          if (gone === 0) continue;
          running -= gone;
          removals = countAfter(gone);
          expect(removals.removed).toBeLessThanOrEqual(allowedRemovals(max, removals.ran ?? 0));
        }
      }),
    );
  });
});
