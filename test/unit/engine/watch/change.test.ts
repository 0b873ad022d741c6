import { expect, test } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '#api/meta.js';
import { keptMetadata } from '#engine/watch/kept-metadata.js';
import { mayBeDrift } from '#engine/watch/managed-watches.js';
import type { Change } from '#runtime/controller.js';

const REVISION = 'deployment.kubernetes.io/revision';

function object(metadata: Partial<ObjectMeta>): KubeObject {
  const whole = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...metadata } };
  return keptMetadata(whole, { labels: ['owner'], annotations: ['hook'] });
}

function update(before: Partial<ObjectMeta>, after: Partial<ObjectMeta>): Change {
  return { type: 'updated', object: object(after), previous: object(before) };
}

test.each<[string, Change, boolean]>([
  ['a new object', { type: 'added', object: object({}) }, false],
  ['a deleted object', { type: 'deleted', object: object({}), previous: object({}) }, true],
  ['another generation', update({ generation: 1 }, { generation: 2 }), true],
  ['the same generation: a status', update({ generation: 1 }, { generation: 1 }), false],
  ['no generation to tell by', update({ resourceVersion: '1' }, { resourceVersion: '2' }), true],
  ['a label', update({ generation: 1 }, { generation: 1, labels: { a: 'b' } }), true],
  ['an annotation', update({ generation: 1, annotations: { a: 'b' } }, { generation: 1 }), true],
  [
    'another value of one that owners ask for',
    update({ generation: 1, annotations: { hook: 'a' } }, { generation: 1, annotations: { hook: 'b' } }),
    true,
  ],
  [
    'a label that became an annotation',
    update({ generation: 1, labels: { a: 'b' } }, { generation: 1, annotations: { a: 'b' } }),
    true,
  ],
  [
    'what a roll-out counts',
    update({ generation: 1, annotations: { [REVISION]: '1' } }, { generation: 1, annotations: { [REVISION]: '2' } }),
    false,
  ],
  [
    'the first count of a roll-out',
    update({ generation: 1, annotations: {} }, { generation: 1, annotations: { [REVISION]: '1' } }),
    false,
  ],
  [
    'another order',
    update(
      { generation: 1, labels: { a: '1', b: '2' }, annotations: { c: '3', d: '4' } },
      { generation: 1, labels: { b: '2', a: '1' }, annotations: { d: '4', c: '3' } },
    ),
    false,
  ],
  [
    'values that changed places',
    update({ generation: 1, labels: { a: '1', b: '2' } }, { generation: 1, labels: { a: '2', b: '1' } }),
    true,
  ],
])('%s may be drift: %p', (_name, change, expected) => expect(mayBeDrift(change)).toBe(expected));

test('what is kept of an object is short, and has what owners ask for', () => {
  const many = (value: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, value]));
  const { metadata } = object({
    labels: { ...many('x'.repeat(63)), owner: 'shop' },
    annotations: { ...many(''), hook: 'x'.repeat(1_000) },
  });
  expect(metadata).toMatchObject({ name: 'a', labels: { owner: 'shop' }, annotations: { hook: '' } });
  expect(JSON.stringify(metadata).length).toBeLessThan(200);
  expect(object({}).metadata.annotations).not.toHaveProperty('hook');
  const hostile = 'x'.repeat(4_000_000) as unknown as Record<string, string>;
  expect(JSON.stringify(object({ labels: hostile, annotations: hostile }).metadata).length).toBeLessThan(200);
});
