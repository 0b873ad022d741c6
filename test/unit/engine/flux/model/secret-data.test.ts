import { expect, it } from '@jest/globals';
import { withSecretData } from '#engine/flux/model/manifests.js';

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } };

it.each([
  [
    'moves texts into data, which they win over',
    { stringData: { a: 'x' }, data: { a: 'Yg==', b: 'Yg==' } },
    { data: { a: 'eA==', b: 'Yg==' } },
  ],
  ['leaves what the API server refuses', { stringData: { a: 7 } }, { stringData: { a: 7 } }],
  ['leaves a Secret without texts', { data: { b: 'Yg==' } }, { data: { b: 'Yg==' } }],
])('%s', (_title, given, expected) => {
  expect(withSecretData({ ...secret, ...given })).toEqual({ ...secret, ...expected });
});

it('leaves other kinds', () => {
  const other = { ...secret, kind: 'ConfigMap', stringData: { a: 'x' } };
  expect(withSecretData(other)).toBe(other);
});
