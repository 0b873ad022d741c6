import { expect, test } from '@jest/globals';
import { withTlsKeys } from '#controllers/source/secrets.js';
import { rsaKeyOf } from '../../../support/rsa-key.js';

const [KEY, LARGE] = [rsaKeyOf({}, 2048), rsaKeyOf({}, 4096)];

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['without a key', { username: 'robot' }, { username: 'robot' }],
  ['with a key', { 'tls.crt': 'CERT', 'tls.key': `more\n${KEY}more` }, { 'tls.crt': 'CERT', 'tls.key': KEY }],
  ['with the key of an old Secret', { keyFile: KEY }, { keyFile: KEY }],
  ['with a large key', { 'tls.key': LARGE }, { 'tls.key': LARGE }],
  ['with an empty key', { 'tls.key': '' }, { 'tls.key': '' }],
])('a Secret %s is used', (_sentence, data, expected) => {
  expect(withTlsKeys(new Map(Object.entries(data)))).toEqual(new Map(Object.entries(expected)));
});

test.each([
  ['tls.key', 16_384],
  ['keyFile', 16_384],
  ['tls.key', 4_104],
])('a huge key in %s is a problem: %i bits', (name, bits) => {
  const problem = expect.stringContaining(`its key ${name} is not an RSA key of 4096 bits at most`) as unknown;
  expect(withTlsKeys(new Map([[name, rsaKeyOf({}, bits)]]))).toEqual({ problem });
});
