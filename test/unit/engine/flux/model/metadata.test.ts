import { expect, test } from '@jest/globals';
import { withMetadata } from '#engine/flux/model/manifests.js';

const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { own: 'x', both: 'x' } } };

test('common labels and annotations win over those of the object, which stays as it was', () => {
  const common = { labels: { both: 'y' }, annotations: { note: 'z' } };
  expect(withMetadata(OBJECT, common).metadata).toEqual({
    name: 'a',
    labels: { own: 'x', both: 'y' },
    annotations: { note: 'z' },
  });
  expect(OBJECT.metadata.labels).toEqual({ own: 'x', both: 'x' });
});

test('no empty maps come of nothing', () => {
  const plain = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  expect(withMetadata(plain, {})).toEqual(plain);
});
