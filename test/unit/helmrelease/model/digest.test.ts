import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { configDigest, sha256 } from '#controllers/helmrelease/model/digest.js';

/** What DigestValues of Flux's own library says; test/oracles asks it again. */
const VECTORS: readonly (readonly [name: string, json: string, digest: string])[] = [
  ['one number', '{"a":1}', 'sha256:37b128c59f1f5097f73f82691cb519f1f568667faab5ced1b4ab979d36837eae'],
  [
    'maps in maps',
    '{"replicas":2,"image":{"tag":"1.10","repository":"nginx"}}',
    'sha256:ae6ed84df2874136ac337b2c40d5149ec4bc1fea247a0f1f2ea82256cd734bbc',
  ],
  [
    'null and empty things',
    '{"a":null,"b":{},"c":[],"d":""}',
    'sha256:dfefb1e49bbbf8e1035b22cfe723649faf193fee1e63c3daa6dba812c15d78c0',
  ],
  [
    'numbers of every size',
    '{"a":1000000,"b":-0.0,"c":1.5,"d":0.00001,"e":1e21,"f":123456789012}',
    'sha256:635095354014d118c23167c073ff3e42288434ce30fc59831d79ef845776ca12',
  ],
  [
    'an integer beyond 2^53',
    '{"a":12345678901234567890}',
    'sha256:4a8fbdec29a915ff9cdfc02076ad7df6c21354bcbe98b47a93823dadecda83a7',
  ],
  [
    'words that read as something else',
    '{"yes":"no","on":true,"0644":"0644","1e3":"1e3","12:30":"12:30"}',
    'sha256:33e48f988ff68ddd16fc3e0fc267ea9b76e3ebb5decf79e02ca2d6731d0e2e74',
  ],
  [
    'text of many lines',
    '{"a":"x\\ny\\n","b":"x\\ny","c":"\\n","d":" x","e":"x: y","f":"#x"}',
    'sha256:b72dc7977cd0c5cd455c14fafdc43ef828b0ae36257720e4c9ff483cd6e65fca',
  ],
  [
    'lists in lists',
    '{"a":[["b",{"d":1,"c":2}],[]]}',
    'sha256:91333d1ac1333fcc8708e4d35d303cad33200c0c6329b3a5c3d656906f8b4c51',
  ],
  [
    'line breaks that few know of, and byte order marks',
    '{"\\r":1,"x\\u2028y":2,"\\ufeffx":"\\ufeffx y"}',
    'sha256:07a699109241b978c4233d1fcaece4cac14906c17ba21f8dbf6ab8ffdc5484a7',
  ],
  [
    'keys beyond the basic plane',
    '{"\\ud83d\\ude80":1,"\\uffee":2,"\u00e4":3}',
    'sha256:fd3fab17505438b8f0aed9c03f0a6034894a9fd044daf144066e1715f4c89053',
  ],
  [
    'long text with quotes',
    '{"a":"it\'s word word word word word word word word word word word word word word word\'s word word word # word"}',
    'sha256:c1108ef4387c8a038a827ee9be9d2887462f7249e45ccec23cfe6c5a7fcac7b5',
  ],
];

const OF_NOTHING = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('configDigest', () => {
  test.each([
    ['no values', undefined],
    ['an empty map', {}],
  ])('of %s is the digest of nothing', (_name, values) => {
    expect(configDigest(values)).toBe(OF_NOTHING);
  });

  test('is the digest of the sorted go-yaml text', () => {
    const text = 'a:\n- x\n"n": "yes"\nreplicas: 2\n';
    expect(configDigest({ replicas: 2, n: 'yes', a: ['x'] })).toBe(
      `sha256:${createHash('sha256').update(text).digest('hex')}`,
    );
  });

  test.each(VECTORS)('of %s is the one that Flux gives', (_name, json, digest) => {
    expect(configDigest(JSON.parse(json) as Record<string, unknown>)).toBe(digest);
  });

  test('a null is part of the values', () => {
    expect(configDigest({ a: null })).toBe(sha256('a: null\n'));
  });
});
