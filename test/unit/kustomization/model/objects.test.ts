import { describe, expect, test } from '@jest/globals';
import omit from 'lodash/omit.js';
import * as objects from '#controllers/kustomization/model/objects.js';
import { kustomization, object } from './builders.js';

const GROUP = 'kustomize.toolkit.fluxcd.io';
const BARE = object('ConfigMap', 'a');
const OWNER = { name: 'site', namespace: 'team' };
const MANAGER = 'kustomize-controller';

test.each<[string, string, keyof typeof objects]>([
  ['reconcile', 'disabled', 'isIgnored'],
  ['ssa', 'Ignore', 'isIgnored'],
  ['ssa', 'IfNotPresent', 'isOnlyCreated'],
  ['ssa', 'Merge', 'isMerged'],
  ['force', 'enabled', 'isForced'],
  ['prune', 'disabled', 'isKept'],
  ['ssa', 'Ignore', 'isKept'],
])('%s: %s, as a label or an annotation, means %s', (key, value, name) => {
  const says = objects[name] as (each: ReturnType<typeof object>) => boolean; // each row names a test of an object
  const marked = { [`${GROUP}/${key}`]: value };
  const test = (metadata: object): boolean => says(object('ConfigMap', 'a', metadata));
  expect([test({ labels: marked }), test({ annotations: marked }), test({})]).toEqual([true, true, false]);
});

const OWNED = { [`${GROUP}/name`]: 'site', [`${GROUP}/namespace`]: 'team' };

test.each<[string, Record<string, string>, Record<string, string> | undefined]>([
  ['come where the live object has none', {}, OWNED],
  ['come where the live object has half', { [`${GROUP}/name`]: 'site' }, OWNED],
  ['stay', OWNED, OWNED],
  ['of another stay', { [`${GROUP}/name`]: 'x', [`${GROUP}/namespace`]: 'y' }, undefined],
  ['are never mixed with those of another', { [`${GROUP}/name`]: 'x' }, undefined],
])('ignored labels of the owner %s', (_title, labels, expected) => {
  const live = object('ConfigMap', 'a', { labels });
  expect(objects.withOwnerLabels(BARE, live, OWNER).metadata.labels).toEqual(expected);
});

test.each<[string, string, number]>([
  ['nothing', '', 0],
  ['comments and separators', '# a\n---\n---\n', 0],
  ['documents', '---\napiVersion: v1\nkind: A\nspec:\n  kind: no\n---\nkind: B\n', 2],
  ['JSON', '{"kind":"A"}\n---\n{\n  "kind": "B",\n  "data": {\n  }\n}\n', 2],
  ['a text within', 'kind: A\ndata:\n  text: |\n    kind: B\n', 1],
])('the objects in %s are counted', (_title, text, count) => {
  expect(objects.countObjects(text)).toBe(count);
});

test('variables of an object are substituted, unless it says that they are none', () => {
  const marked = { [`${GROUP}/substitute`]: 'disabled' };
  expect(
    [{}, { labels: marked }, { annotations: marked }].map((each) => objects.isTemplate(object('A', 'a', each))),
  ).toEqual([true, false, false]);
});

test('a mark that is no text means nothing', () => {
  const annotations = { [`${GROUP}/ssa`]: true, [`${GROUP}/reconcile`]: null };
  const read = objects.objectsOf(JSON.stringify({ ...BARE, metadata: { annotations } }));
  expect(read.map(objects.isIgnored)).toEqual([false]);
});

test.each([
  ['own', { [`${GROUP}/name`]: 'site', [`${GROUP}/namespace`]: 'team' }],
  ['other', { [`${GROUP}/name`]: 'site', [`${GROUP}/namespace`]: 'x' }],
  ['other', { [`${GROUP}/name`]: 'site' }],
  ['none', {}],
])('the marks are %s', (expected, labels) => {
  expect(objects.marksOf(object('ConfigMap', 'a', { labels }), OWNER, MANAGER)).toBe(expected);
});

describe('an object with its labels, and a mark of Helm,', () => {
  const own = { [`${GROUP}/name`]: 'site', [`${GROUP}/namespace`]: 'team' };
  const annotated = { labels: own, annotations: { 'meta.helm.sh/release-name': 'web' } };
  const labelled = { labels: { ...own, 'helm.toolkit.fluxcd.io/name': 'web' } };
  const annotation = { 'f:metadata': { 'f:annotations': { 'f:meta.helm.sh/release-name': {} } } };
  const label = { 'f:metadata': { 'f:labels': { 'f:helm.toolkit.fluxcd.io/name': {} } } };
  test.each([
    ['is of the release that annotated it', 'other', annotated, { manager: 'helm', fieldsV1: annotation }],
    ['is of the release that labelled it', 'other', labelled, { manager: 'helm-controller', fieldsV1: label }],
    ['is of another when nobody says who wrote the mark', 'other', annotated, { manager: MANAGER, fieldsV1: {} }],
    ['is its own when its source has the annotation', 'own', annotated, { manager: MANAGER, fieldsV1: annotation }],
    ['is its own when its source has the label', 'own', labelled, { manager: MANAGER, fieldsV1: label }],
  ])('%s', (_title, expected, metadata, entry) => {
    const managedFields = [{ ...entry, operation: 'Apply' }];
    expect(objects.marksOf(object('ConfigMap', 'a', { ...metadata, managedFields }), OWNER, MANAGER)).toBe(expected);
  });
});

test('what kustomize printed becomes objects; a namespace that is null or empty is not set', () => {
  const text = 'apiVersion: v1\nkind: A\nmetadata: {name: a, namespace: null}\n---\n---\nkind: B\napiVersion: v1\n';
  expect(objects.objectsOf(text)).toEqual([
    { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } },
    { apiVersion: 'v1', kind: 'B', metadata: {} },
  ]);
});

describe('as its owner applies it', () => {
  test('an object has its labels, over the common ones', () => {
    const { spec } = kustomization({ commonMetadata: { labels: { [`${GROUP}/name`]: 'x', a: 'b' } } });
    expect(objects.owned(object('ConfigMap', 'a'), OWNER, spec).metadata.labels).toEqual({
      a: 'b',
      [`${GROUP}/name`]: 'site',
      [`${GROUP}/namespace`]: 'team',
    });
  });

  test.each([
    [{ stringData: { a: 'x' }, data: { b: 'Yg==' } }, { data: { a: 'eA==', b: 'Yg==' } }],
    [{ stringData: { a: 7 } }, { stringData: { a: 7 } }],
  ])('a Secret with %j has %j', (fields, expected) => {
    const secret = { ...object('Secret', 'a'), ...fields };
    const rest = omit(objects.owned(secret, OWNER, kustomization().spec), 'apiVersion', 'kind', 'metadata');
    expect(rest).toEqual(expected);
  });
});

test('a Secret that sops encrypted is told, unless it is meant to stay so', () => {
  const secret = { ...object('Secret', 'a'), sops: { mac: 'x' } };
  const annotations = { [`${GROUP}/decrypt`]: 'disabled' };
  expect(objects.isEncrypted(secret)).toBe(true);
  expect(objects.isEncrypted({ ...secret, metadata: { name: 'a', annotations } })).toBe(false);
});

test.each<[string, boolean, Parameters<typeof object>[2]]>([
  ['an object', true, {}],
  ['one that is only applied to its own version', false, { resourceVersion: '7' }],
  ['one that is ignored', false, { annotations: { [`${GROUP}/ssa`]: 'Ignore' } }],
])('%s can be created: %s', (_sentence, expected, metadata) => {
  expect(objects.isCreatable(object('ConfigMap', 'a', metadata))).toBe(expected);
});
