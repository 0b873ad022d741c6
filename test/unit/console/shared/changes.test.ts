import { expect, test } from '@jest/globals';
import { Changes } from '#console/shared/changes.js';

const SUBJECT = { type: { group: 'x', plural: 'things' }, namespace: 'shop' };

function filled(count: number, limits = { most: 3, characters: 1_000 }): Changes {
  const changes = new Changes('e', limits);
  for (let each = 1; each <= count; each += 1) changes.add(SUBJECT, (id) => `${id}: changed`);
  return changes;
}

const texts = (changes: Changes, id: string) => changes.since(id)?.map(({ text }) => text);

test('go on after an id', () => {
  const changes = filled(3);
  expect(changes.newest).toBe('e.3');
  expect(texts(changes, 'e.0')).toEqual(['e.1: changed', 'e.2: changed', 'e.3: changed']);
  expect(texts(changes, 'e.2')).toEqual(['e.3: changed']);
  expect(texts(changes, 'e.3')).toEqual([]);
});

test.each([
  ['number', { most: 3, characters: 1_000_000 }],
  ['length', { most: 1_000, characters: 45 }],
])('are kept up to a %s, and say when one is missing', (_, limits) => {
  const changes = filled(1_000, limits);
  expect(texts(changes, 'e.0')).toBeUndefined();
  expect(texts(changes, 'e.990')).toBeUndefined();
  expect(texts(changes, 'e.997')).toHaveLength(3);
  expect(texts(changes, 'e.1000')).toEqual([]);
});

test('keep none that is too long, and still count it', () => {
  const changes = filled(2, { most: 3, characters: 5 });
  expect([changes.newest, texts(changes, 'e.1'), texts(changes, 'e.2')]).toEqual(['e.2', undefined, []]);
});

test.each(['', 'e', 'e.', 'x.1', 'e.4', 'e.-1', 'e.1e3', 'e.1.5', `e.${'9'.repeat(400)}`])('do not know %j', (id) => {
  expect(filled(3).since(id)).toBeUndefined();
});

test('begin with none', () => {
  expect(texts(filled(0), 'e.0')).toEqual([]);
});
