import { describe, expect, it } from '@jest/globals';
import type { DestinationState } from '#api/v1alpha1/states.js';
import {
  clustersToRead,
  leftOutWords,
  mergedEvents,
  type ClusterEvents,
} from '#console/web/application/model/events.js';
import { MOST_EVENTS } from '#queries/views/event-view.js';
import type { EventView } from '#queries/answers/members.js';

function event(message: string, minute: number, more: Partial<EventView> = {}): EventView {
  const rest = { namespace: 'app', type: 'Normal', count: 1, lastSeen: `2026-01-01T00:0${minute}:00Z` };
  return { uid: message, cluster: 'eu', object: 'Pod/web', reason: 'Said', ...rest, message, ...more };
}

const OF_HOST = event('made', 1, { cluster: '' });
const answer = (...events: EventView[]) => ({ events, more: 1, moreOnHost: 0, problems: [] as string[] });
const read = (cluster: string, value: Partial<ClusterEvents['value']>): ClusterEvents => ({
  ...{ cluster, isReading: false },
  value: { events: [], more: 0, moreOnHost: 0, problems: [], ...value },
});

describe('the events of several clusters', () => {
  it('are there as far as they were read, in one order, with those of the host once', () => {
    const again = { ...OF_HOST, count: 2, lastSeen: '2026-01-01T00:05:00Z' };
    const found = mergedEvents([
      { cluster: 'eu', isReading: false, value: answer(OF_HOST, event('b', 3), event('b', 3)) },
      { cluster: 'us', isReading: true },
      { cluster: 'ap', isReading: true, value: answer(again, event('a', 2, { cluster: 'ap' })) },
    ]);
    expect(found.events.map(({ message, count }) => `${message} ${count}`)).toEqual(['a 1', 'b 1', 'b 1', 'made 2']);
    expect(found).toMatchObject({ more: 2, isMoreExact: true, problems: [], waiting: ['us'] });
  });

  it('have the later time and the higher count of one of the host, whichever answer came first', () => {
    const [early, late] = [OF_HOST, { ...OF_HOST, count: 2, lastSeen: '2026-01-01T00:05:00Z' }];
    for (const events of [
      [early, late],
      [late, early],
    ]) {
      const found = mergedEvents(events.map((each, index) => read(`c${index}`, { events: [each] })));
      expect(found.events).toEqual([late]);
    }
  });

  it('are two where the host has two that say the same', () => {
    const twins = [OF_HOST, { ...OF_HOST, uid: 'another' }, { ...OF_HOST, uid: '' }, { ...OF_HOST, uid: '' }];
    expect(mergedEvents([read('eu', { events: twins })]).events).toHaveLength(4);
    expect(mergedEvents(['eu', 'us'].map((name) => read(name, { events: twins.slice(0, 2) }))).events).toHaveLength(2);
  });

  it('say who could not be read, once', () => {
    const problems = ['namespace x has too many'];
    const found = mergedEvents([
      { cluster: 'eu', isReading: false, value: { ...answer(), problems } },
      { cluster: 'ap', isReading: false, value: { ...answer(), problems } },
      { cluster: 'us', isReading: false, problem: { text: 'you may not' } },
      { cluster: 'br', isReading: true, problem: { text: 'another try' } },
      { cluster: '', isReading: false, problem: { text: 'no answer' } },
    ]);
    expect(found.problems).toEqual([...problems, 'us: you may not', 'no answer']);
    expect(found.waiting).toEqual(['br']);
  });
});

describe('the older events that are left out', () => {
  it('are those of one answer, and nothing else', () => {
    const found = mergedEvents([read('eu', { events: [OF_HOST], more: 7, moreOnHost: 4 })]);
    expect(found).toMatchObject({ more: 7, isMoreExact: true });
  });

  it('are counted once where they are of the host, which each answer speaks of', () => {
    const found = mergedEvents([
      read('eu', { events: [OF_HOST], more: 10, moreOnHost: 4 }),
      read('us', { events: [OF_HOST, event('of us', 2, { cluster: '' })], more: 5, moreOnHost: 5 }),
    ]);
    // Six of eu; the host has at least seven, of which two are here.
    expect(found).toMatchObject({ more: 11, isMoreExact: false });
  });

  it('are none that another answer has', () => {
    const events = ['a', 'b', 'c'].map((name) => event(name, 1, { cluster: '' }));
    const found = mergedEvents([
      read('eu', { events: events.slice(2), more: 2, moreOnHost: 2 }),
      read('us', { events }),
    ]);
    expect(found).toMatchObject({ more: 0, isMoreExact: false });
  });

  it('include those for which there is no room beside those of others', () => {
    const many = (cluster: string) =>
      Array.from({ length: MOST_EVENTS }, (_, index) => event(`${cluster} ${index}`, 1, { cluster }));
    const found = mergedEvents([read('eu', { events: many('eu') }), read('us', { events: many('us'), more: 3 })]);
    expect(found).toMatchObject({ more: MOST_EVENTS + 3, isMoreExact: true });
    expect(found.events).toHaveLength(MOST_EVENTS);
  });
});

it.each([
  [{ more: 0, isMoreExact: true }, ''],
  [{ more: 7, isMoreExact: true }, '7 older ones are left out'],
  [{ more: 7, isMoreExact: false }, 'at least 7 older ones are left out'],
  [{ more: 0, isMoreExact: false }, 'older ones may be left out'],
])('say how many older ones are left out: %j', (found, words) => {
  expect(leftOutWords(found)).toBe(words);
});

describe('the events are read', () => {
  const rest = { namespace: '', release: '', child: '', revision: '', message: '' };
  const row = (cluster: string, state: DestinationState = 'Ready') => ({ name: cluster, cluster, state, ...rest });
  const many = Array.from({ length: 9 }, (_, index) => row(`c${index}`));

  it('of what fails first, and of thousands of clusters only of some', () => {
    const { first, others } = clustersToRead([...many, row('c0'), row(''), row('bad', 'Failed')]);
    expect(first).toEqual(['bad', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
    expect(others).toEqual(['c7', 'c8']);
  });

  it('of what cannot be reached as well, after all that answer', () => {
    const lost = ['l0', 'l1', 'l2', 'l3'].map((cluster) => row(cluster, 'Unreachable'));
    const { first, others } = clustersToRead([...lost, row('bad', 'Failed'), ...many]);
    expect(first).toEqual(['bad', 'c0', 'c1', 'c2', 'l0', 'l1', 'l2', 'l3']);
    expect(others).toEqual(['c3', 'c4', 'c5', 'c6', 'c7', 'c8']);
  });

  it('of what fails and answers, however many others cannot be reached', () => {
    const lost = Array.from({ length: 20 }, (_, index) => row(`l${index}`, 'Unreachable'));
    const { first } = clustersToRead([...lost, row('bad', 'Failed'), row('well')]);
    expect(first).toEqual(['bad', 'l0', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6']);
  });
});
