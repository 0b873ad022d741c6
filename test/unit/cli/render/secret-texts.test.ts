import { expect, it } from '@jest/globals';
import { secretTexts } from '#cli/render/manifests.js';

it('secretTexts are the values of Secrets, and the texts of the YAML in them', () => {
  const metadata = { name: 'a' };
  const encoded = Buffer.from('db: {password: hunter22, port: 5432, user: me}').toString('base64');
  const objects = [
    { apiVersion: 'v1', kind: 'Secret', metadata, data: { values: encoded }, stringData: { token: 'a: [broken' } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { color: 'blue' } },
  ];
  expect(secretTexts(objects)).toEqual([
    'db: {password: hunter22, port: 5432, user: me}',
    '5432',
    'hunter22',
    'a: [broken',
  ]);
});
