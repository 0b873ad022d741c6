import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { configDigest, sha256 } from '../../../../../controllers/flux/helmrelease/model/digest.js';

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

  test('a null is part of the values', () => {
    expect(configDigest({ a: null })).toBe(sha256('a: null\n'));
  });
});
