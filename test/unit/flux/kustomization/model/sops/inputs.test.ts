import { expect, test } from '@jest/globals';
import { encryptedInputs } from '#controllers/flux/kustomization/model/sops/inputs.js';

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
  const expected = format === undefined ? [] : [{ path: 'p', format }];
  expect(encryptedInputs([{ path: 'p', field, name }])).toEqual(expected);
});
