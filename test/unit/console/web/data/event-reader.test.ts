import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EventReader } from '#console/web/data/model/event-reader.js';

const TEXT = [
  'id: p.1\nevent: ready\ndata: {}\n\n',
  ': still here\n\n',
  'id: p.2\r\nevent: added\r\ndata: {"name":\r\ndata:"wéb"}\r\n\r\n',
  'id\nevent: close\ndata: {"reason":"a: b"}\n\n',
  'id: p.3\nevent: half\n',
].join('');
const EVENTS = [
  { name: 'ready', data: '{}' },
  { name: 'added', data: '{"name":\n"wéb"}' },
  { name: 'close', data: '{"reason":"a: b"}' },
];

test('reads the same events, however the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), TEXT.length];
      const reader = new EventReader('old');
      const events = at.flatMap((cut, index) => (index === 0 ? [] : reader.push(TEXT.slice(at[index - 1], cut))));
      expect(events).toEqual(EVENTS);
      // One that is empty is one, and one of half an event is none.
      expect(reader.lastId).toBe('');
    }),
  );
});

test('goes on with the id of the stream before', () => {
  const reader = new EventReader('p.7');
  expect([reader.push(': x\n\n'), reader.lastId]).toEqual([[], 'p.7']);
  reader.push('id: p.8\nevent: updated\ndata: {}\n\n');
  expect(reader.lastId).toBe('p.8');
});
