import { expect, it } from '@jest/globals';
import { digestOf } from '#lib/hash.js';

it('gives a sha256 digest, whatever the order of keys', () => {
  expect(digestOf({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
});
