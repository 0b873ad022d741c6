import { describe, expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { isUnchanged } from '#engine/apply/compare.js';
import { parseJson } from '#lib/json/lossless-json.js';

const fieldManager = 'helm-controller';
const DESIRED: Unstructured = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'b' } };

interface Owner {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fields?: object;
}

function owned({ manager = fieldManager, operation = 'Apply', subresource, fields = OWNED }: Owner = {}): object {
  return { manager, operation, fieldsV1: fields, time: '2020-01-01T00:00:00Z', ...(subresource && { subresource }) };
}

const OWNED = { 'f:data': { 'f:key': {} } };

function answer(rest: object = {}, metadata: object = {}): Unstructured {
  return {
    ...DESIRED,
    ...rest,
    metadata: { name: 'a', uid: 'u', resourceVersion: '7', generation: 1, managedFields: [owned()], ...metadata },
  };
}

function compare(live: Unstructured, dryRun: Unstructured, desired = DESIRED): boolean {
  return isUnchanged(live, dryRun, { desired, fieldManager });
}

describe('unchanged', () => {
  test.each<[string, Unstructured, Unstructured]>([
    ['the same answer', answer(), answer()],
    ['keys in another order', answer({ data: { x: '1', y: '2' } }), answer({ data: { y: '2', x: '1' } })],
    ['what the server counts by itself', answer(), answer({}, { resourceVersion: '8', generation: 2 })],
    [
      'the time at which the manager wrote',
      answer({}, { managedFields: [{ ...owned(), time: '2021-01-01T00:00:00Z' }] }),
      answer(),
    ],
    [
      'what other managers own',
      answer({}, { managedFields: [owned(), owned({ manager: 'kubectl', fields: { 'f:x': {} } })] }),
      answer(),
    ],
    ['a status that moved between the two reads', answer({ status: { ready: 1 } }), answer({ status: { ready: 2 } })],
  ])('%s', (_sentence, live, dryRun) => expect(compare(live, dryRun)).toBe(true));
});

describe('changed', () => {
  test.each<[string, Unstructured, Unstructured]>([
    ['a value', answer({ data: { key: 'old' } }), answer()],
    ['a value that is gone', answer({ data: { key: 'b', old: 'x' } }), answer()],
    ['a label', answer(), answer({}, { labels: { a: 'b' } })],
    ['an annotation', answer({}, { annotations: { a: 'b' } }), answer()],
    ['a finalizer', answer({}, { finalizers: ['a/b'] }), answer()],
    ['null is a value', answer({ data: null }), answer({ data: {} })],
    ['a type', answer({ data: { key: 1 } }), answer({ data: { key: '1' } })],
    [
      'a number beyond what a double holds',
      answer({ data: parseJson('{"key":9007199254740993}') }),
      answer({ data: parseJson('{"key":9007199254740992}') }),
    ],
    ['the order of a list', answer({ data: ['a', 'b'] }), answer({ data: ['b', 'a'] })],
    [
      'the manager does not own a field yet that has the right value',
      answer({}, { managedFields: [owned({ fields: {} })] }),
      answer(),
    ],
    ['the manager owns nothing yet', answer({}, { managedFields: undefined }), answer()],
    [
      'the manager wrote it by an update, which does not make it the owner',
      answer({}, { managedFields: [owned({ operation: 'Update' })] }),
      answer(),
    ],
    [
      'the manager only applied the status',
      answer({}, { managedFields: [owned({ subresource: 'status' })] }),
      answer(),
    ],
    [
      'a field that left what is desired, and that another keeps, is still owned',
      answer(
        {},
        {
          managedFields: [
            owned({ fields: { ...OWNED, 'f:old': {} } }),
            owned({ manager: 'kubectl', fields: { 'f:old': {} } }),
          ],
        },
      ),
      answer(),
    ],
  ])('%s', (_sentence, live, dryRun) => expect(compare(live, dryRun)).toBe(false));
});

test('a status counts when it is desired', () => {
  const desired = { ...DESIRED, status: { ready: 2 } };
  expect(compare(answer({ status: { ready: 1 } }), answer({ status: { ready: 2 } }), desired)).toBe(false);
  expect(compare(answer({ status: { ready: 2 } }), answer({ status: { ready: 2 } }), desired)).toBe(true);
});
