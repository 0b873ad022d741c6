import { expect, test } from '@jest/globals';
import { withTlsKeys } from '#controllers/flux/source/model/tls-keys.js';
import { rsaKeyOf } from '#test/support/rsa-key.js';

const KEY = rsaKeyOf({}, 2048);

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['without a key', { username: 'robot' }, { username: 'robot' }],
  ['with a key', { 'tls.crt': 'CERT', 'tls.key': `more\n${KEY}more` }, { 'tls.crt': 'CERT', 'tls.key': KEY }],
  ['with the key of an old Secret', { keyFile: KEY }, { keyFile: KEY }],
  ['with an empty key', { 'tls.key': '' }, { 'tls.key': '' }],
])('a Secret %s is used', (_sentence, data, expected) => {
  expect(withTlsKeys(new Map(Object.entries(data)))).toEqual(new Map(Object.entries(expected)));
});

test.each(['tls.key', 'keyFile'])('a huge key in %s is a problem', (name) => {
  const problem = expect.stringContaining(`its key ${name} is not an RSA key of 8192 bits at most`) as unknown;
  expect(withTlsKeys(new Map([[name, rsaKeyOf({}, 16_384)]]))).toEqual({ problem });
});
