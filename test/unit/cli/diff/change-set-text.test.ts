import { expect, test } from '@jest/globals';
import { changeSet, objectChange } from '#engine/dry-run/change-set.js';
import { changeSetText, exitCodeOf, fieldsText } from '#cli/diff/model/change-set.js';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } };
const computed = { unchanged: 3, observedGeneration: 1, now: '2026-01-01T00:00:00Z' };

test('a change set is printed with its fields, harmless for a terminal', () => {
  const changes = [
    objectChange({ action: 'changed', object, compared: { old: { a: 1 }, new: { a: 2, b: 'x\u001b[31m' } } }),
    objectChange({ action: 'changed', object, compared: { old: { a: 1 }, new: {} }, hidesValues: true }),
    objectChange({ action: 'deleted', object, message: 'with everything\nin it' }),
  ];
  const text = changeSetText(changeSet({ ...computed, changes, action: 'upgrade (values changed)' }, undefined));
  expect(text.split('\n')).toEqual([
    'upgrade (values changed)',
    'deleted ConfigMap/shop/web (with everything in it)',
    'changed ConfigMap/shop/web',
    '  a: 1 -> 2',
    '  b: (none) -> "x\\u001b[31m"',
    'changed ConfigMap/shop/web',
    '  ["*****"]: changed, not shown',
    '1 deleted, 2 changed, 3 unchanged',
  ]);
});

test.each([
  ['nothing', [], 0],
  ['a change', ['changed'], 1],
  ['a deletion that has to wait', ['held'], 1],
  ['a failure', ['changed', 'failed'], 2],
] as const)('the exit code of %s is that of kubectl diff', (_title, actions, expected) => {
  const changes = actions.map((action) => objectChange({ action, object }));
  expect(exitCodeOf(changeSet({ ...computed, changes }, undefined))).toBe(expected);
});

test('the fields of a change have room in a line', () => {
  const change = objectChange({ action: 'changed', object, compared: { old: { a: 1, c: 1 }, new: { a: 2, b: 'x' } } });
  expect(fieldsText(change, 3)).toBe('a: 1 -> 2, b: (none) -> "x", c: 1 -> (none)');
  expect(fieldsText(change, 1)).toBe('a: 1 -> 2 and 2 more fields');
  expect(fieldsText({ ...change, moreFields: 4 }, 10)).toMatch(/ and 4 more fields$/);
  expect(fieldsText(objectChange({ action: 'created', object }), 3)).toBe('');
});
