import { expect, test } from '@jest/globals';
import { masked } from '#controllers/kustomization/model/manifests.js';

test.each<[string, string, string[], string]>([
  ['nothing that is secret', 'invalid value: a', [], 'invalid value: a'],
  ['a secret, wherever it is', 'bad "s3cret" in s3cret-x', ['s3cret'], 'bad "*****" in *****-x'],
  ['the longer one first', 'abcd', ['ab', 'abc'], '*****d'],
  ['a secret that is quoted', 'bad "a\\"b"', ['a"b'], 'bad "*****"'],
  ['a secret as Go quotes it in JSON', '{"a":"x\\u003cy\\u0026z\\u003e\\""}', ['x<y&z>"'], '{"a":"*****"}'],
  ['a secret in base64', 'data: czNjcmV0 for é: w6k=', ['s3cret', 'é'], 'data: ***** for *****: *****'],
  ['a secret in a path', '/data/a~1b~0', ['a/b~'], '/data/*****'],
  ['an empty one', 'abc', [''], 'abc'],
  ['one that reads like a pattern', 'a.c abc', ['a.c'], '***** abc'],
  ['the mask itself', '**', ['*'], '**********'],
])('%s', (_title, text, secrets, result) => {
  expect(masked(text, secrets)).toBe(result);
});
