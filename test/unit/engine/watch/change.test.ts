import { expect, test } from '@jest/globals';
import type { KubeObject, ObjectMeta } from '#api/meta.js';
import { mayBeDrift } from '#engine/watch/managed-watches.js';
import type { Change } from '#runtime/controller.js';

const REVISION = 'deployment.kubernetes.io/revision';

function object(metadata: Partial<ObjectMeta>): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a', ...metadata } };
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
    'what a roll-out counts',
    update({ generation: 1, annotations: { [REVISION]: '1' } }, { generation: 1, annotations: { [REVISION]: '2' } }),
    false,
  ],
])('%s may be drift: %p', (_name, change, expected) => expect(mayBeDrift(change)).toBe(expected));
