import { expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { newsOf, type Known } from '#engine/flux/model/news.js';

const ARTIFACT = { revision: 'main@sha1:1', digest: 'sha256:1' };

function objectOf(metadata: Partial<KubeObject['metadata']>, suspend?: boolean) {
  const spec = { interval: '1m', ...(suspend === undefined ? {} : { suspend }) };
  return { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'web', generation: 2, ...metadata }, spec };
}

function sourceOf(artifact?: typeof ARTIFACT): Known['source'] {
  const status = artifact === undefined ? {} : { artifact };
  return { apiVersion: 'y/v1', kind: 'Y', metadata: { name: 'web' }, status };
}

const OBJECT = objectOf({});

test.each<[string, Known['object'], Known['source'], string | undefined]>([
  ['a deletion', objectOf({ deletionTimestamp: '2026-01-01T00:00:00Z' }), undefined, 'the object is being deleted'],
  ['a suspension', objectOf({ generation: 3 }, true), undefined, 'the object is suspended'],
  ['another spec', objectOf({ generation: 3 }), undefined, 'the spec changed'],
  ['another revision', OBJECT, sourceOf({ ...ARTIFACT, revision: 'main@sha1:2' }), 'the source has main@sha1:2 now'],
  ['other files of it', OBJECT, sourceOf({ ...ARTIFACT, digest: 'sha256:2' }), 'the source has main@sha1:1 now'],
  ['an older one of the cache', objectOf({ generation: 1 }), sourceOf(ARTIFACT), undefined],
  ['another status or annotation', objectOf({ annotations: { a: 'b' } }), sourceOf(ARTIFACT), undefined],
  ['a source without an artifact', OBJECT, sourceOf(), undefined],
  ['what is not known', undefined, undefined, undefined],
])('news of an object that is reconciled: %s', (_title, object, source, expected) => {
  expect(newsOf({ object: OBJECT, artifact: ARTIFACT }, { object, source }, { isLong: true })).toBe(expected);
});

test.each([
  ['as it was written', [{ type: 'Ready', reason: 'HealthCheckCanceled' }]],
  [
    'after a Kustomization waited for another one',
    [
      { type: 'Ready', reason: 'DependencyNotReady' },
      { type: 'Healthy', reason: 'HealthCheckCanceled' },
    ],
  ],
  [
    'after a HelmRelease waited for another one',
    [
      { type: 'Ready', reason: 'DependencyNotReady' },
      { type: 'Released', reason: 'PendingRelease' },
    ],
  ],
])(
  'another revision does not end two attempts in a row, or what never becomes ready would never fail: %s',
  (_, known) => {
    const conditions = known.map((each) => ({
      ...each,
      status: 'Unknown' as const,
      message: '',
      lastTransitionTime: '',
    }));
    const object = { ...OBJECT, status: { conditions } };
    const now = { object: OBJECT, source: sourceOf({ ...ARTIFACT, revision: 'main@sha1:2' }) };
    expect(newsOf({ object, artifact: ARTIFACT }, now, { isLong: true })).toBeUndefined();
    const edited = { ...now, object: objectOf({ generation: 3 }) };
    expect(newsOf({ object, artifact: ARTIFACT }, edited, { isLong: true })).toBe('the spec changed');
  },
);

test.each([
  ['a deletion', { deletionTimestamp: '2026-01-01T00:00:00Z' }, 'the object is being deleted'],
  ['another object of its name', { uid: 'other' }, 'the object was deleted and created again'],
  ['another spec', { generation: 3 }, undefined],
])('what has deployed nothing yet is only left to be deleted: %s', (_, metadata, expected) => {
  const known = { object: objectOf(metadata), source: sourceOf({ ...ARTIFACT, digest: 'sha256:2' }) };
  expect(newsOf({ object: OBJECT, artifact: ARTIFACT }, known, { isLong: true, isFirst: true })).toBe(expected);
});

test('another revision is news only after a while, or a busy source would never let objects become ready', () => {
  const known = { object: OBJECT, source: sourceOf({ ...ARTIFACT, revision: 'main@sha1:2' }) };
  expect(newsOf({ object: OBJECT, artifact: ARTIFACT }, known, { isLong: false })).toBeUndefined();
  const edited = { ...known, object: objectOf({ generation: 3 }) };
  expect(newsOf({ object: OBJECT, artifact: ARTIFACT }, edited, { isLong: false })).toBe('the spec changed');
});
