import { describe, expect, it } from '@jest/globals';
import { PendingMemory, pendingStatus as statusOf } from '#controllers/application/model/status/pending.js';
import type { Row } from '#controllers/application/model/status/rows.js';
import type { Wait } from '#controllers/application/model/child/verdicts.js';
import type { Pending } from '#api/v1alpha1/pending.js';

const NOW = '2026-01-01T12:00:00Z';
const EARLIER = '2026-01-01T10:00:00Z';

function row(name: string, wait?: Partial<Wait>): Row {
  const where = { name, key: name, cluster: name, namespace: 'prod', release: undefined };
  const what = { state: 'Ready', revision: '1.0.0', message: '', child: undefined, wanted: true } as const;
  const stage: Wait = { reason: 'Stage', message: 'waits for stage "canary"', from: 1, to: 2, change: () => 'values' };
  return { ...where, ...what, ...(wait === undefined ? {} : { wait: { ...stage, ...wait } }) };
}

const rollout = { revision: 2, phase: 'Progressing', startedAt: EARLIER, stages: [] } as const;
const memory = { before: undefined, now: NOW };

type Facts = ConstructorParameters<typeof PendingMemory>[0];

function pendingStatus(rows: readonly Row[], facts: Facts): Pending | undefined {
  return statusOf(rows, new PendingMemory(facts));
}

describe('the pending destinations in the status', () => {
  it('are left out while nothing waits', () => {
    expect(pendingStatus([row('eu'), row('us')], memory)).toBeUndefined();
  });

  it('say where, from which revision to which one, what, why and since when', () => {
    expect(pendingStatus([row('eu'), row('us', {})], memory)).toEqual({
      total: 1,
      destinations: [
        {
          name: 'us',
          cluster: 'us',
          namespace: 'prod',
          from: 1,
          to: 2,
          change: 'values',
          reason: 'Stage',
          message: 'waits for stage "canary"',
          since: NOW,
        },
      ],
    });
  });

  it('begin with what somebody has to decide, whatever their order was', () => {
    const rows = [row('b', {}), row('a', {}), row('z', { reason: 'Approval' }), row('y', { reason: 'Dependency' })];
    const names = ['z', 'y', 'a', 'b'];
    expect(pendingStatus(rows, memory)?.destinations.map(({ name }) => name)).toEqual(names);
    expect(pendingStatus([...rows].reverse(), memory)?.destinations.map(({ name }) => name)).toEqual(names);
  });

  it('stay as they are written, however much later', () => {
    const before = pendingStatus([row('eu', {}), row('us', {})], { ...memory, now: EARLIER });
    expect(pendingStatus([row('eu', {}), row('us', {})], { before: { pending: before! }, now: NOW })).toEqual(before);
  });

  it.each<[string, Partial<Wait>, string]>([
    ['the same change for another reason', { reason: 'Window', message: 'waits for its window' }, EARLIER],
    ['another change', { to: 3 }, NOW],
  ])('have since when the change waits: %s', (_, wait, since) => {
    const before = pendingStatus([row('eu', {})], { ...memory, now: EARLIER });
    const facts = { before: { pending: before! }, now: NOW };
    expect(pendingStatus([row('eu', wait)], facts)?.destinations[0]?.since).toBe(since);
  });

  it('have since when they wait as well when they come into the list of 20 later, or come back', () => {
    const many = Array.from({ length: 40 }, (_, index) => row(`c${index + 10}`, { reason: 'Suspended' }));
    const first = new PendingMemory({ before: undefined, now: EARLIER });
    const destinations = many.map((each) => ({
      ...{ name: each.name, cluster: each.cluster, namespace: 'prod', state: 'Ready' as const },
      wait: first.waitOf(each)!,
    }));
    const before = { pending: statusOf(many, first)!, destinations };
    const [last] = pendingStatus(many.slice(-1), { before, now: NOW })?.destinations ?? [];
    expect(last).toMatchObject({ name: 'c49', since: EARLIER });
  });

  it('are told apart from what is removed under the same name, e.g. of a cluster that has a namesake', () => {
    const rows = [row('eu', { reason: 'Gate', to: 2 }), row('eu', { reason: 'Removal', from: 1, to: undefined })];
    const first = new PendingMemory({ before: undefined, now: EARLIER });
    const destinations = rows.map((each) => ({
      ...{ name: each.name, cluster: each.cluster, namespace: 'prod', state: 'Pending' as const },
      wait: first.waitOf(each)!,
    }));
    const before = { pending: statusOf(rows, first)!, destinations };
    const later = new PendingMemory({ before, now: NOW });
    expect(statusOf(rows, later)).toEqual(before.pending);
    expect(rows.map((each) => later.waitOf(each))).toEqual(destinations.map(({ wait }) => wait));
  });

  it('have waited since their rollout began, and a removal since it is held', () => {
    const since = (wait: Partial<Wait>, more: object): string | undefined =>
      pendingStatus([row('eu', wait)], { ...memory, ...more })?.destinations[0]?.since;
    expect(since({}, { rollout })).toBe(EARLIER);
    expect(since({ to: 3 }, { rollout })).toBe(NOW);
    expect(since({ reason: 'Pinned' }, { rollout })).toBe(NOW);
    // A cluster that came later.
    expect(since({}, { rollout: { ...rollout, completedAt: EARLIER } })).toBe(NOW);
    expect(since({ reason: 'Removal', to: undefined }, { removals: { heldSince: EARLIER } })).toBe(EARLIER);
  });

  it('are few and short, however many and long they are', () => {
    const long = { message: 'm'.repeat(5_000), change: () => 'c'.repeat(5_000) };
    const rows = Array.from({ length: 1_000 }, (_, index) => row(`cluster-${index}`, long));
    const status = pendingStatus(rows, memory);
    expect(status).toMatchObject({ total: 1_000 });
    expect(status?.destinations).toHaveLength(20);
    expect(JSON.stringify(status).length).toBeLessThan(12_000);
  });

  it('ask only for the changes that are shown', () => {
    let asked = 0;
    const change = (): string => {
      asked += 1;
      return '';
    };
    pendingStatus(
      Array.from({ length: 100 }, (_, index) => row(`c${index}`, { change })),
      memory,
    );
    expect(asked).toBe(20);
  });
});

describe('since when a destination is in its state', () => {
  const shown = (state: Row['state'], since?: string) => ({
    ...{ name: 'eu', cluster: 'eu', namespace: 'prod', state },
    ...(since === undefined ? {} : { since }),
  });
  const other = { ...shown('Ready', EARLIER), name: 'us' };

  it.each<[string, ConstructorParameters<typeof PendingMemory>[0]['before'], string | undefined]>([
    ['is now if there was no status', undefined, NOW],
    ['is now if it is new', { destinations: [other] }, NOW],
    ['is now if it was in another one', { destinations: [shown('Failed', EARLIER)] }, NOW],
    ['stays while it is in the same one', { destinations: [shown('Ready', EARLIER)] }, EARLIER],
    ['is not known if the last status did not say it', { destinations: [shown('Ready')] }, undefined],
    ['is not known if the last status had no room for it', { destinations: [other], truncated: true }, undefined],
    [
      'is now if the status was cut behind it',
      { destinations: [shown('Failed', EARLIER), other], truncated: true },
      NOW,
    ],
  ])('%s', (_, before, since) => {
    expect(new PendingMemory({ before, now: NOW }).stateSince(row('eu'))).toBe(since);
  });
});
