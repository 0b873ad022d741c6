import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import {
  allowedRemovals,
  guardRemovals,
  type RemovalsInput,
} from '#controllers/application/model/clusters/removals.js';
import type { Leaving } from '#controllers/application/model/clusters/leaving.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { timestamp } from '#lib/kube/conditions.js';
import type { CountOrPercentage } from '#lib/kube/count-or-percentage.js';
import { application } from '../builders.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const HOUR = 3_600_000;

function leaves(count: number, uninstalls = true): Leaving[] {
  return Array.from({ length: count }, (_, index): Leaving => {
    const metadata = { name: `c${index}`, namespace: 'shop', uid: `uid-${index}` };
    const child: Child = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec: {} };
    return { child, uninstalls, why: 'it left' };
  });
}

function limited(
  maxRemovals?: CountOrPercentage,
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

/** The Application with the status of the hold of these, and the annotation that approves it. */
function approving(leaving: readonly Leaving[], ...limits: Parameters<typeof limited>): Application {
  const { hold } = guard(leaving, { application: limited(...limits) });
  const [max, removals] = limits;
  return limited(max, { ...removals, ...hold }, hold?.approval);
}

describe('a limit of removals', () => {
  it.each<[CountOrPercentage | undefined, number, number]>([
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
});

describe('removals', () => {
  const held = (input: Parameters<typeof guard>): number => guard(...input).held.size;
  const counted = (removed: number, ageMs = 0, ran = 100) => ({
    counted: [{ until: timestamp(NOW - ageMs + HOUR), ran, removed }],
  });
  const cases: Record<string, [Parameters<typeof guard>, number]> = {
    'within the limit go': [[leaves(10)], 0],
    'over the limit stay, all of them': [[leaves(21), { staying: 50 }], 21],
    'are limited by what ran, with those that leave': [[leaves(20), { staying: 80 }], 0],
    'of all but the last one stay, unless a limit is set': [[leaves(3), { staying: 0 }], 3],
    'of the last one stay, also in a later hour': [
      [leaves(1), { staying: 0, application: limited(undefined, counted(9, 2 * HOUR)) }],
      1,
    ],
    'of all go if the limit allows that': [[leaves(3), { staying: 0, application: limited('100%') }], 0],
    'of the only one go': [[leaves(1), { staying: 0 }], 0],
    'of the last one after others stay': [
      [leaves(1), { staying: 0, application: limited(undefined, counted(1, 0, 2)) }],
      1,
    ],
    'never go at 0': [[leaves(1), { application: limited(0) }], 1],
    'never go at 0%': [[leaves(1), { application: limited('0%') }], 1],
    'count with those of the hour': [[leaves(6), { application: limited(undefined, counted(15)) }], 6],
    'count no longer after the hour': [[leaves(6), { application: limited(undefined, counted(15, HOUR)) }], 0],
    'are counted on by a clock that went back': [
      [leaves(6), { application: limited(undefined, counted(15, -HOUR)) }],
      6,
    ],
    'wait until their cluster has not matched for a while': [[leaves(2), { unmatchedForMs: () => 29_999 }], 2],
  };
  it.each(Object.entries(cases))('%s', (_, [input, count]) => {
    expect(held(input)).toBe(count);
  });

  it('that are approved go at once, and do not count', () => {
    const approved = guard(leaves(50), { application: approving(leaves(50), 0), unmatchedForMs: () => 0 });
    expect(approved.held.size).toBe(0);
    expect(approved.countAfter(50).counted).toEqual([{ until: '2026-01-01T13:05:00Z', ran: 100, removed: 0 }]);
  });

  it('that are approved do not make others forgotten', () => {
    const staying = 19;
    const app = approving(leaves(1), 10, counted(10, 5_000));
    const removals = guard(leaves(1), { staying, application: app }).countAfter(1);
    expect(removals.counted).toMatchObject([
      { ran: 19, removed: 10 },
      { ran: 19, removed: 0 },
    ]);
    const next = { ...app, status: { removals } };
    expect(guard(leaves(10), { staying: 9, application: next }).held.size).toBe(10);
  });

  it('are reconciled again when they may go', () => {
    expect(guard(leaves(2), { unmatchedForMs: () => 10_000 }).retryAfterMs).toBe(20_000);
    expect(guard(leaves(2)).retryAfterMs).toBeUndefined();
    const full = limited(undefined, counted(19, HOUR - 5_000));
    expect(guard(leaves(2), { application: full }).retryAfterMs).toBe(5_000);
    expect(guard(leaves(2), { application: limited(0) }).retryAfterMs).toBeUndefined();
  });

  interface Event {
    readonly atMs: number;
    readonly ran: number;
    readonly removed: number;
  }

  /** The most of any span of an hour, and what was allowed of the releases that ran when it began. */
  function expectWithin(max: CountOrPercentage | undefined, events: readonly Event[]): void {
    for (const [index, first] of events.entries()) {
      const span = events.slice(index).filter(({ atMs }) => atMs < first.atMs + HOUR);
      const sum = span.reduce((total, { removed }) => total + removed, 0);
      expect(sum).toBeLessThanOrEqual(allowedRemovals(max, first.ran));
    }
  }

  it('of any 60 minutes never exceed the limit, however many passes remove them and others join', () => {
    const pass = fc.record({
      leave: fc.nat({ max: 12 }),
      join: fc.nat({ max: 5 }),
      pause: fc.oneof(fc.nat({ max: 5_000 }), fc.nat({ max: HOUR / 2 }), fc.nat({ max: 2 * HOUR })),
      isApproved: fc.boolean(),
    });
    const limits = fc.constantFrom<CountOrPercentage | undefined>(undefined, 0, 5, '7%', '50%');
    fc.assert(
      fc.property(fc.array(pass, { maxLength: 40 }), limits, fc.nat({ max: HOUR }), (list, max, start) => {
        let running = 60;
        let now = NOW + start;
        let removals: NonNullable<ApplicationStatus['removals']> = {};
        const events: Event[] = [];
        for (const { leave, join, pause, isApproved } of list) {
          now += pause;
          running += join;
          const leaving = leaves(Math.min(leave, running));
          const input = { staying: running - leaving.length, nowMs: now };
          const held = guard(leaving, { ...input, application: limited(max, removals) });
          if (held.isHeld) removals = { ...removals, ...held.hold };
          const app = limited(max, removals, isApproved ? held.hold?.approval : undefined);
          const result = guard(leaving, { ...input, application: app });
          const removed = leaving.length - result.held.size;
          if (removed === 0) continue;
          if (!held.isHeld) events.push({ atMs: now, ran: running, removed });
          removals = { counted: result.countAfter(removed).counted };
          running -= removed;
        }
        expectWithin(max, events);
      }),
      { numRuns: 500 },
    );
  });
});
