import { describe, expect, test } from '@jest/globals';
import type { ManagedFieldsEntry } from '#api/meta.js';
import { ownsField, takenOver, takeOverPatch } from '#lib/kube/managed-fields.js';

function entry(manager: string, operation: string, fields: object, more: object = {}): ManagedFieldsEntry {
  return { manager, operation, apiVersion: 'v1', fieldsV1: fields, ...more };
}

/** Ours. */
const applied = (fields: object): ManagedFieldsEntry => entry('we', 'Apply', fields);
const updated = (fields: object, more: object = {}): ManagedFieldsEntry => entry('helm', 'Update', fields, more);
const OURS = applied({ 'f:data': { 'f:a': {} } });
const HELM = updated({ 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } });
const takeOver = { manager: 'we', isTaken: ({ manager }: ManagedFieldsEntry): boolean => manager === 'helm' };

describe('takenOver', () => {
  test.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[] | undefined]>([
    ['nothing is to be taken where only we write', [OURS], undefined],
    ['nothing is to be taken of an object without entries', [], undefined],
    ['others keep what is theirs', [OURS, entry('kubectl-edit', 'Update', { 'f:spec': {} })], undefined],
    [
      'their fields join ours, and their entry goes',
      [HELM, OURS],
      [applied({ 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } })],
    ],
    [
      'before our first apply their newest entry becomes ours',
      [HELM, entry('helm', 'Apply', { 'f:spec': {} })],
      [applied({ 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} }, 'f:spec': {} })],
    ],
    [
      'a field as a whole and a part of it are both kept',
      [OURS, updated({ 'f:data': {} })],
      [applied({ 'f:data': { '.': {}, 'f:a': {} } })],
    ],
    [
      'items of lists stay apart',
      [
        applied({ 'f:list': { 'k:{"name":"a"}': { '.': {}, 'f:image': {} } } }),
        updated({ 'f:list': { 'k:{"name":"a"}': { 'f:name': {} }, 'k:{"name":"b"}': {} } }),
      ],
      [
        applied({
          'f:list': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {} }, 'k:{"name":"b"}': {} },
        }),
      ],
    ],
    ['fields of another version are nobody’s', [OURS, updated({ 'f:old': {} }, { apiVersion: 'v1beta1' })], [OURS]],
    ['what was written through a subresource stays', [OURS, { ...HELM, subresource: 'status' }], undefined],
    [
      'our own updates can be taken, our applies are ours',
      [entry('helm', 'Apply', { 'f:x': {} }), updated({ 'f:y': {} })].map((one) => ({
        ...one,
        manager: 'we',
      })),
      [applied({ 'f:x': {}, 'f:y': {} })],
    ],
  ])('%s', (_name, entries, expected) => {
    const before = structuredClone(entries);
    const names = ['helm', 'we'];
    const isTaken = ({ manager = '' }: ManagedFieldsEntry): boolean => names.includes(manager);
    expect(takenOver(entries, { manager: 'we', isTaken })).toEqual(expected);
    expect(entries).toEqual(before);
  });

  test('done once, there is nothing left to do', () => {
    expect(takenOver(takenOver([HELM, OURS], takeOver) ?? [], takeOver)).toBeUndefined();
  });
});

describe('takenOver below one field', () => {
  const spec = { 'f:suspend': {}, 'f:values': { 'f:a': {} } };
  const marks = { 'f:metadata': { 'f:finalizers': {} } };
  const velero = entry('velero', 'Update', { ...marks, 'f:spec': spec });
  const ours = applied({ ...marks, 'f:spec': { 'f:values': {} } });
  const below = { manager: 'we', isTaken: () => true, below: 'f:spec' };

  test.each<[string, ManagedFieldsEntry[], ManagedFieldsEntry[] | undefined]>([
    ['leaves the rest to whom it belongs', [velero], [applied({ 'f:spec': spec }), entry('velero', 'Update', marks)]],
    [
      'adds to what is ours',
      [ours, velero],
      [
        applied({ ...marks, 'f:spec': { 'f:suspend': {}, 'f:values': { '.': {}, 'f:a': {} } } }),
        entry('velero', 'Update', marks),
      ],
    ],
    ['drops an entry that has nothing else', [ours, entry('x', 'Update', { 'f:spec': { 'f:values': {} } })], [ours]],
    ['leaves entries without it', [ours, entry('x', 'Update', marks)], undefined],
  ])('%s', (_name, entries, expected) => {
    expect(takenOver(entries, below)).toEqual(expected);
  });
});

test('the patch holds for the version that was read only', () => {
  const metadata = { name: 'a', resourceVersion: '7', managedFields: [HELM, OURS] };
  expect(takeOverPatch({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, takeOver)).toEqual([
    { op: 'replace', path: '/metadata/managedFields', value: takenOver([HELM, OURS], takeOver) },
    { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
  ]);
  expect(takeOverPatch({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }, takeOver)).toBeUndefined();
});

test.each([
  [['f:data', 'f:b'], true],
  [['f:data'], true],
  [['f:data', 'f:c'], false],
  [['f:data', 'f:b', 'f:deeper'], false],
  [['constructor'], false],
])('owning %j is %s', (path, expected) => {
  expect(ownsField(HELM, path)).toBe(expected);
});
