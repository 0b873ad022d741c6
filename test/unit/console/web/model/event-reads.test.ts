import { describe, expect, it } from '@jest/globals';
import { clustersToRead, mergedEvents } from '#console/web/model/event-reads.js';
import type { EventView } from '#controllers/read-model/event-view.js';

function event(message: string, minute: number, more: Partial<EventView> = {}): EventView {
  const rest = { namespace: 'app', type: 'Normal', count: 1, lastSeen: `2026-01-01T00:0${minute}:00Z` };
  return { cluster: 'eu', object: 'Pod/web', reason: 'Said', ...rest, message, ...more };
}

const OF_HOST = event('made', 1, { cluster: '' });
const answer = (...events: EventView[]) => ({ events, more: 1, problems: [] as string[] });

describe('the events of several clusters', () => {
  it('are there as far as they were read, in one order, with those of the host once', () => {
    const found = mergedEvents([
      { cluster: 'eu', isReading: false, value: answer(OF_HOST, event('b', 3), event('b', 3)) },
      { cluster: 'us', isReading: true },
      { cluster: 'ap', isReading: true, value: answer({ ...OF_HOST, count: 2 }, event('a', 2, { cluster: 'ap' })) },
    ]);
    expect(found.events.map(({ message, count }) => `${message} ${count}`)).toEqual(['made 2', 'a 1', 'b 1', 'b 1']);
    expect(found).toMatchObject({ more: 2, problems: [], waiting: ['us'] });
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

it('are read of what fails first, and of thousands of clusters only of some', () => {
  const rest = { namespace: '', release: '', child: '', revision: '', message: '' };
  const row = (cluster: string, state = 'Ready') => ({ name: cluster, cluster, state, ...rest });
  const many = Array.from({ length: 9 }, (_, index) => row(`c${index}`));
  const { first, others } = clustersToRead([...many, row('c0'), row(''), row('bad', 'Failed')]);
  expect(first).toEqual(['bad', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
  expect(others).toEqual(['c7', 'c8']);
});
