import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  eventQueryOf,
  eventSearchOf,
  eventsOfObject,
  eventsPage,
  shownEvents,
} from '#console/web/application/model/events.js';
import type { EventView } from '#queries/answers/members.js';

function event(message: string, more: Partial<EventView> = {}): EventView {
  const rest = { namespace: 'app', type: 'Normal', count: 1, lastSeen: '2026-01-01T00:00:00Z' };
  return { uid: message, cluster: 'eu', object: 'Pod/web', reason: 'Said', ...rest, message, ...more };
}

const EVENTS = [
  event('first', { cluster: '', object: 'Application/web' }),
  event('second', { type: 'Warning', reason: 'BackOff' }),
  event('third', { cluster: 'us' }),
  event('<b>Fourth</b>', { object: 'Deployment/web' }),
];
const ALL = { cluster: '', type: '', search: '' };

describe('the events that are shown', () => {
  it.each([
    ['all, the newest first', ALL, ['<b>Fourth</b>', 'third', 'second', 'first']],
    ['those of a cluster', { ...ALL, cluster: 'eu' }, ['<b>Fourth</b>', 'second']],
    ['those of the host', { ...ALL, cluster: '-' }, ['first']],
    ['warnings', { ...ALL, type: 'Warning' }, ['second']],
    ['those with a text in the message', { ...ALL, search: 'FOURTH' }, ['<b>Fourth</b>']],
    ['those with a text in the reason', { ...ALL, search: 'backoff' }, ['second']],
    ['those with a text in the object', { ...ALL, search: 'deployment/' }, ['<b>Fourth</b>']],
    ['none of what there is not', { ...ALL, cluster: 'ap' }, []],
  ])('are %s', (_, query, expected) => {
    expect(shownEvents(EVENTS, query).map(({ message }) => message)).toEqual(expected);
  });

  it('are those of one object and of no other one with its name', () => {
    const pod = { cluster: 'eu', kind: 'Pod', namespace: 'app', name: 'web' };
    expect(eventsOfObject(EVENTS, pod).map(({ message }) => message)).toEqual(['second']);
    expect(eventsOfObject(EVENTS, { ...pod, namespace: 'other' })).toEqual([]);
    expect(eventsOfObject(EVENTS, { ...pod, cluster: 'us' }).map(({ message }) => message)).toEqual(['third']);
  });
});

it('is in the URL as it was asked for', () => {
  const text = fc.string({ maxLength: 100, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.record({ cluster: text, type: text, search: text }), (query) => {
      expect(eventQueryOf(eventSearchOf(query))).toEqual(query);
    }),
  );
  expect(eventSearchOf(ALL)).toBe('');
});

it('has a page for one cluster, whatever its name', () => {
  const web = { namespace: 'shop', name: 'web' };
  expect(eventsPage(web, 'eu')).toBe('/applications/shop/web/events?cluster=eu');
  const odd = eventsPage(web, 'a&type=Normal#"<b>');
  expect(eventQueryOf(odd.slice(odd.indexOf('?')))).toEqual({ ...ALL, cluster: 'a&type=Normal#"<b>' });
});
