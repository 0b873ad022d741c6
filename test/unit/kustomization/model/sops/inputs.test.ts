import { expect, test } from '@jest/globals';
import { encryptedInputs, otherReader } from '#controllers/kustomization/decrypt-inputs.js';

test.each<[field: string, name: string, format: string | undefined]>([
  ['resources[0]', 'a.yaml', 'yaml'],
  ['resources[0]', 'a.json', 'json'],
  ['resources[0]', 'a', 'yaml'],
  ['patches[1].path', 'a.yml', 'yaml'],
  ['patchesStrategicMerge[0]', 'a.yaml', 'yaml'],
  ['secretGenerator[0].files[0]', 'token', 'binary'],
  ['secretGenerator[0].files[0]', '.dockerconfigjson', 'json'],
  ['secretGenerator[0].envs[0]', 'app', 'dotenv'],
  ['secretGenerator[0].env', 'app.env', 'dotenv'],
  ['configMapGenerator[0].files[0]', 'token', undefined],
  ['crds[0]', 'a.yaml', undefined],
])('a file in %s that is called %s', (field, name, format) => {
  const expected = format === undefined ? [] : [{ path: 'p', field, name, format }];
  expect(encryptedInputs([{ path: 'p', field, name }])).toEqual(expected);
});

test.each<[string, field: string, name: string, other: string | undefined]>([
  ['the same field', 'resources[0]', 'p.yaml', undefined],
  ['another field with the same format', 'secretGenerator[0].files[0]', 'p.yaml', undefined],
  ['another field with another format', 'secretGenerator[0].files[0]', 'raw', 'secretGenerator[0].files[0]'],
  ['a field that gets it as it is', 'configMapGenerator[0].files[0]', 'p.yaml', 'configMapGenerator[0].files[0]'],
])('a file in resources that is read by %s', (_title, field, name, other) => {
  const first = { path: 'p.yaml', field: 'resources[0]', name: 'p.yaml' };
  const inputs = [first, { path: 'p.yaml', field, name }];
  expect(otherReader({ ...first, format: 'yaml' }, inputs)).toBe(other);
});
