import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DRY_RUN_ACTIONS } from '#api/dry-run.js';
import { changeSet, LIMITS, objectChange, summaryText, type Finding } from '#engine/dry-run/change-set.js';
import { publicNames } from '#engine/dry-run/public-names.js';

const NOW = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T00:10:00Z';

function finding(more: Partial<Finding> = {}, name = 'web'): Finding {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'shop' } };
  return { action: 'changed', object, ...more };
}

function secret(old: object, next: object): Finding {
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password', namespace: 'shop' } };
  return { action: 'changed', object, compared: { old, new: next } };
}

const computation = { unchanged: 0, observedGeneration: 1, now: NOW };
const data = (value: string): object => ({ data: { value } });
const isPublic = publicNames(['value other plain']);

describe('one object of a change set', () => {
  test('shows its fields with their values', () => {
    const compared = { old: { data: { a: 'x', b: 'y' } }, new: { data: { a: 'z', c: 'y' } } };
    expect(objectChange(finding({ compared }))).toEqual({
      action: 'changed',
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'shop',
      name: 'web',
      fields: [
        { path: '/data/a', old: '"x"', new: '"z"' },
        { path: '/data/b', old: '"y"' },
        { path: '/data/c', new: '"y"' },
      ],
    });
  });

  test('shows no values so far where they may come from a Secret', () => {
    const change = objectChange(finding({ compared: { old: data('a'), new: data('b') }, hidesOld: true }));
    expect(change.fields).toEqual([{ path: '/data/value', new: '"b"' }]);
  });

  test('shows the values of no Secret, in data, texts and annotations', () => {
    const values = (value: string): object => ({
      ...{ data: { a: value }, stringData: { b: value } },
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value } },
    });
    const change = objectChange(secret(values('hunter1'), values('hunter2')));
    expect(change.fields).toEqual([
      { path: '/data/a' },
      { path: '/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration' },
      { path: '/stringData/b' },
    ]);
  });

  test('shows no values where they may come from a Secret', () => {
    const change = objectChange(finding({ compared: { old: data('a'), new: data('b') }, hidesValues: true, isPublic }));
    expect(change.fields).toEqual([{ path: '/data/value' }]);
  });

  test('shows what is removed only by public names where it may come from a Secret', () => {
    const compared = { old: { data: { value: '1', s3cret: '1' } }, new: { data: { other: '1' } } };
    const change = objectChange(finding({ compared, hidesOld: true, isPublic }));
    expect(change.fields).toEqual([
      { path: '/data/other', new: '"1"' },
      { path: '/data/*****' },
      { path: '/data/value' },
    ]);
  });

  test('shows no keys that may come from a Secret', () => {
    const keys = { s3cret: '1', ['x'.repeat(LIMITS.path - 8) + 's3cret']: '1', plain: '1' };
    const changes = [
      objectChange(finding({ compared: { old: {}, new: { data: keys, other: '1' } }, hidesValues: true, isPublic })),
    ];
    const compared = { old: { data: {} }, new: { data: keys } };
    const found = [...changes, objectChange(finding({ compared, hidesValues: true, isPublic }))];
    const { objects } = changeSet({ ...computation, changes: found }, undefined);
    expect(objects?.map(({ fields }) => fields?.map(({ path }) => path))).toEqual([
      ['/data', '/other'],
      ['/data/plain', '/data/*****', '/data/*****'],
    ]);
  });

  test('is the same for two Secrets of which other values differ', () => {
    const values = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        fc.pre(a !== b && a !== c);
        const digest = (next: string): string =>
          changeSet({ ...computation, changes: [objectChange(secret(data(a), data(next)))] }, undefined).digest;
        expect(digest(b)).toBe(digest(c));
      }),
    );
  });

  test('lists a bounded number of fields and counts the others', () => {
    const many = Object.fromEntries(Array.from({ length: LIMITS.fields + 5 }, (_, index) => [`f${index}`, 1]));
    const change = objectChange(finding({ compared: { old: {}, new: many } }));
    expect(change.fields).toHaveLength(LIMITS.fields);
    expect(change.moreFields).toBe(5);
  });

  test('counts no more fields than matter', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 1]));
    expect(objectChange(finding({ compared: { old: {}, new: many } })).moreFields).toBe(LIMITS.counted);
  });

  test('says so if only the managers of its fields change', () => {
    const change = objectChange(finding({ compared: { old: data('a'), new: data('a') } }));
    expect(change).not.toHaveProperty('fields');
    expect(change.message).toBe('only the managers of its fields change');
  });

  test('is cut where half of a pair would remain, and keeps no half', () => {
    const value = `${'x'.repeat(LIMITS.value - 3)}\u{1F600}\u{1F600}`;
    const change = objectChange(finding({ message: '\ud800', compared: { old: {}, new: data(value) } }));
    expect(JSON.stringify(change)).not.toMatch(/\\ud[89a-f]/);
  });
});

describe('a change set', () => {
  test('counts everything, and puts failures and deletions first', () => {
    const changes = [...DRY_RUN_ACTIONS].reverse().map((action) => objectChange(finding({ action })));
    const set = changeSet({ ...computation, changes, unchanged: 7, revision: 'main@sha1:1' }, undefined);
    expect(set.objects?.map(({ action }) => action)).toEqual(DRY_RUN_ACTIONS);
    expect(set).toMatchObject({ observedGeneration: 1, revision: 'main@sha1:1', computedAt: NOW });
    expect(set.summary).toEqual({
      created: 1,
      changed: 1,
      recreated: 1,
      deleted: 1,
      held: 1,
      failed: 1,
      unchanged: 7,
    });
    expect(summaryText(set)).toBe('1 failed, 1 deleted, 1 held, 1 recreated, 1 changed, 1 created, 7 unchanged');
  });

  test('of nothing says so', () => {
    const set = changeSet({ ...computation, changes: [] }, undefined);
    expect(set).not.toHaveProperty('objects');
    expect(summaryText(set)).toBe('no objects');
  });

  test('keeps its time as long as it says the same', () => {
    const of = (value: string, now: string, before?: ReturnType<typeof changeSet>) =>
      changeSet({ ...computation, now, changes: [objectChange(finding({ message: value }))] }, before);
    const first = of('a', NOW);
    expect(of('a', LATER, first)).toEqual(first);
    expect(of('b', LATER, first)).toMatchObject({ computedAt: LATER });
    expect(of('b', LATER, first).digest).not.toBe(first.digest);
  });

  test('of 10,000 objects is bounded, and hides no deletion', () => {
    const created = Array.from({ length: 10_000 }, (_, index) =>
      objectChange(finding({ action: 'created' }, `n${index}`)),
    );
    const set = changeSet(
      { ...computation, changes: [...created, objectChange(finding({ action: 'deleted' }))] },
      undefined,
    );
    expect(set.summary).toMatchObject({ created: 10_000, deleted: 1 });
    expect(set.objects?.[0]?.action).toBe('deleted');
    expect((set.objects?.length ?? 0) + (set.more ?? 0)).toBe(10_001);
    expect(set.objects?.length).toBeLessThanOrEqual(LIMITS.objects);
  });

  test('is bounded in bytes, whatever the objects are', () => {
    const long = fc.string({ unit: 'grapheme', maxLength: 3_000 });
    const objects = fc.array(fc.tuple(long, fc.dictionary(long, long)), { maxLength: 20 });
    fc.assert(
      fc.property(objects, (given) => {
        const changes = Array.from({ length: 30 }, () => given)
          .flat()
          .map(([name, fields]) => objectChange(finding({ message: name, compared: { old: {}, new: fields } }, name)));
        const set = changeSet({ ...computation, changes }, undefined);
        expect(Buffer.byteLength(JSON.stringify(set))).toBeLessThan(LIMITS.bytes + 2_000);
        expect((set.objects?.length ?? 0) + (set.more ?? 0)).toBe(changes.length);
      }),
      { numRuns: 30 },
    );
  });
});

test('a change set for people has other limits', () => {
  const limits = { ...LIMITS, objects: 1, fields: 30, value: 200 };
  const long = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`key-${index}`, 'x'.repeat(150)]));
  const change = objectChange(finding({ compared: { old: {}, new: long } }), limits);
  expect(change.fields).toHaveLength(25);
  expect(change.fields?.[0]?.new).toHaveLength(152);
  const set = changeSet({ ...computation, changes: [change, objectChange(finding())] }, undefined, limits);
  expect([set.objects?.length, set.more]).toEqual([1, 1]);
});
