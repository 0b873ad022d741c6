import { expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { changesOwners } from '#engine/apply/model/owned-fields.js';

const MANAGER = 'kustomize-controller';
type Fields = Readonly<Record<string, unknown>>;

const ROUTES: readonly Fields[] = [{ 'a,b': 1 }, { a: 1, b: 2 }, { constructor: 'x', 'a,b': 2 }];
const SPEC = {
  ports: [
    { port: 80, protocol: 'TCP' },
    { port: 81, name: 'admin' },
  ],
  strategy: {},
  routes: ROUTES,
  size: 1,
  args: ['x'],
};

interface Row {
  readonly before: Fields | undefined;
  readonly after: Fields;
  readonly others?: Fields;
}

function object(fields: Fields | undefined, others?: Fields, apiVersion = 'v1'): Unstructured {
  const entry = (manager: string, fieldsV1: Fields): object => ({
    manager,
    operation: 'Apply',
    apiVersion,
    fieldsV1,
  });
  const managedFields = [
    ...(fields === undefined ? [] : [entry(MANAGER, { 'f:spec': fields })]),
    ...(others === undefined ? [] : [entry('other', { 'f:spec': others })]),
  ];
  // As the API server answers.
  const metadata = { name: 'x', managedFields } as Unstructured['metadata'];
  return { apiVersion: 'v1', kind: 'Service', metadata, spec: SPEC };
}

const PORT = 'k:{"port":80,"protocol":"TCP"}';
const SIZE = { 'f:size': {} };

const ROWS: Readonly<Record<string, readonly [matters: boolean, row: Row]>> = {
  'the same fields': [false, { before: SIZE, after: SIZE }],
  'the same fields in another order': [
    false,
    { before: { 'f:strategy': {}, 'f:size': {} }, after: { 'f:size': {}, 'f:strategy': {} } },
  ],
  'a manager without a field so far': [true, { before: undefined, after: SIZE }],
  'a value that was not owned': [true, { before: { 'f:strategy': {} }, after: { 'f:strategy': {}, 'f:size': {} } }],
  'a field without a value': [false, { before: SIZE, after: { ...SIZE, 'f:data': {} } }],
  'a field below one without a value': [false, { before: SIZE, after: { ...SIZE, 'f:data': { 'f:x': {} } } }],
  'a field without a value, with a name that each object has': [
    false,
    { before: SIZE, after: { ...SIZE, 'f:constructor': {} } },
  ],
  'a default that Flux set': [false, { before: { ...SIZE, 'f:strategy': {} }, after: SIZE }],
  'a default in an item of a list': [
    false,
    {
      before: { 'f:ports': { [PORT]: { '.': {}, 'f:port': {}, 'f:protocol': {} } } },
      after: { 'f:ports': { [PORT]: { '.': {}, 'f:port': {} } } },
    },
  ],
  'a value in an item of a list': [
    true,
    {
      before: { 'f:ports': { [PORT]: { '.': {}, 'f:port': {} } } },
      after: { 'f:ports': { [PORT]: { '.': {}, 'f:port': {}, 'f:protocol': {} } } },
    },
  ],
  'a value in an item that is told by other keys than the first one': [
    true,
    {
      before: { 'f:ports': { [PORT]: { 'f:port': {} } } },
      after: { 'f:ports': { [PORT]: { 'f:port': {} }, 'k:{"name":"admin","port":81}': { 'f:port': {} } } },
    },
  ],
  'values in items of which one is told by a name with a comma': [
    true,
    {
      before: { 'f:routes': { 'k:{"a,b":1}': {} } },
      after: { 'f:routes': { 'k:{"a,b":1}': {}, 'k:{"a":1,"b":2}': { 'f:a': {} } } },
    },
  ],
  'a value in an item that is told by a field with a name that each object has': [
    true,
    {
      before: { 'f:routes': { 'k:{"a,b":2,"constructor":"x"}': { 'f:a,b': {} } } },
      after: { 'f:routes': { 'k:{"a,b":2,"constructor":"x"}': { 'f:a,b': {}, 'f:constructor': {} } } },
    },
  ],
  'a value of an item that is not there': [
    false,
    { before: SIZE, after: { ...SIZE, 'f:ports': { 'k:{"port":82}': { 'f:protocol': {} } } } },
  ],
  'a member of a set': [true, { before: SIZE, after: { ...SIZE, 'f:args': { 'v:"x"': {} } } }],
  'a field that is left to another owner': [
    true,
    { before: { ...SIZE, 'f:strategy': {} }, after: SIZE, others: { 'f:strategy': {} } },
  ],
  'a field that another owns, too': [false, { before: SIZE, after: SIZE, others: SIZE }],
};

test.each(Object.entries(ROWS))('%s', (_sentence, [matters, { before, after, others }]) => {
  expect(changesOwners(object(before, others), object(after, others), MANAGER)).toBe(matters);
});

test('the same fields in another version of the API, once', () => {
  const [before, after] = [object(SIZE, undefined, 'v1beta1'), object(SIZE)];
  expect(changesOwners(before, after, MANAGER)).toBe(true);
  expect(changesOwners(after, after, MANAGER)).toBe(false);
});
