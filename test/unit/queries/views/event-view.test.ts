import { expect, it } from '@jest/globals';
import { eventsTable } from '#cli/inspect/events.js';
import { eventView, isAbout, MOST_EVENTS, newestLast, type EventObject } from '#queries/views/event-view.js';

function event(name: string, more: Partial<EventObject> = {}): EventObject {
  return {
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'e', namespace: 'shop', uid: 'e-1' } },
    involvedObject: { kind: 'Pod', namespace: 'shop', name },
    ...{ type: 'Warning', reason: 'BackOff', message: 'restarting failed container', count: 3 },
    lastTimestamp: '2026-01-01T00:00:10Z',
    ...more,
  };
}

const SUBJECTS = [
  { kind: 'Pod', namespace: 'shop', name: 'web-1' },
  { kind: 'ClusterRole', namespace: '', name: 'web' },
];

it.each<[string, EventObject, boolean]>([
  ['of a wanted pod', event('web-1'), true],
  ['of another pod', event('web-2'), false],
  ['of a pod of that name elsewhere', event('web-1', { involvedObject: { kind: 'Pod', name: 'web-1' } }), false],
  [
    'of another kind of that name',
    event('', { involvedObject: { kind: 'Job', namespace: 'shop', name: 'web-1' } }),
    false,
  ],
  ['of an object of the cluster', event('', { involvedObject: { kind: 'ClusterRole', name: 'web' } }), true],
  ['of nothing', { ...event(''), involvedObject: {} }, false],
])('an event %s', (_, object, expected) => {
  expect(isAbout(SUBJECTS)(object)).toBe(expected);
});

it.each<[string, Partial<EventObject>, string, number]>([
  ['counted', {}, '2026-01-01T00:00:10Z', 3],
  ['a series', { series: { count: 9, lastObservedTime: '2026-01-02T00:00:00.5Z' } }, '2026-01-02T00:00:00.5Z', 9],
  ['new style', { lastTimestamp: null, eventTime: '2026-01-03T00:00:00Z', count: 1 }, '2026-01-03T00:00:00Z', 1],
])('knows when it was seen last, and how often: %s', (_, more, lastSeen, count) => {
  expect(eventView(event('web-1', more), 'eu')).toMatchObject({
    ...{ uid: 'e-1', lastSeen, count, object: 'Pod/web-1', cluster: 'eu' },
  });
});

it('has the newest last, and no more than it says', () => {
  const views = Array.from({ length: MOST_EVENTS + 2 }, (_, index) =>
    eventView(event(`web-${index}`, { lastTimestamp: new Date(1_000_000_000 - index * 1_000).toISOString() }), ''),
  );
  const { events, more, moreOnHost } = newestLast(views);
  expect([more, moreOnHost]).toEqual([2, 2]);
  expect([events[0]?.object, events.at(-1)?.object]).toEqual([`Pod/web-${MOST_EVENTS - 1}`, 'Pod/web-0']);
});

it('has the newest of each cluster, however many another one has', () => {
  const at = (index: number): string => new Date(1_000_000_000 + index * 1_000).toISOString();
  const of = (cluster: string, count: number, from: number) =>
    Array.from({ length: count }, (_, index) => eventView(event('x', { lastTimestamp: at(from + index) }), cluster));
  const all = [...of('loud', 3_000, 10_000), ...of('eu', 400, 100), ...of('us', 20, 0)];
  const { events, more, moreOnHost } = newestLast(all);
  const count = (cluster: string): number => events.filter((each) => each.cluster === cluster).length;
  expect([count('loud'), count('eu'), count('us'), more, moreOnHost]).toEqual([240, 240, 20, 2_920, 0]);
  expect([events[0]?.lastSeen, events.at(-1)?.lastSeen]).toEqual([at(0), at(12_999)]);
  expect(events.find(({ cluster }) => cluster === 'eu')?.lastSeen).toBe(at(260));
});

it('holds no more than texts of a bounded length, whatever a server answers', () => {
  const odd = { message: { a: 1 }, reason: 7, lastTimestamp: 5 } as unknown as Partial<EventObject>;
  expect(eventView(event('x', odd), 'eu')).toMatchObject({ message: '', reason: '', lastSeen: '' });
  expect(eventView(event('x', { message: 'm'.repeat(100_000) }), 'eu').message).toHaveLength(1_024);
});

it('is the oldest without a time that can be read, and does not mix up the others', () => {
  const times = ['2026-01-03T00:00:00Z', 'never', '2026-01-01T00:00:00Z', '', '2026-01-02T00:00:00Z'];
  const views = times.map((lastTimestamp) => eventView(event('x', { lastTimestamp }), ''));
  const sorted = newestLast(views).events.map(({ lastSeen }) => lastSeen);
  expect(sorted.slice(2)).toEqual(['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z']);
});

it('is a table like that of kubectl', () => {
  const now = Date.parse('2026-01-01T00:02:20Z');
  expect(eventsTable([eventView(event('web-1'), 'eu'), eventView(event('x'), '')], { columns: undefined, now })).toBe(
    [
      'LAST SEEN   TYPE      CLUSTER   REASON    OBJECT             COUNT   MESSAGE',
      '2m          Warning   eu        BackOff   Pod/web-1 (shop)   3       restarting failed container',
      '2m          Warning   -         BackOff   Pod/x (shop)       3       restarting failed container',
    ].join('\n'),
  );
});
