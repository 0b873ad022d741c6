import { expect, test } from '@jest/globals';
import { rootCertificates } from 'node:tls';
import { trustedRoots } from '#controllers/source/secrets.js';

test('a private CA is added to the public ones', () => {
  const roots = trustedRoots('PRIVATE');
  expect(roots.at(-1)).toBe('PRIVATE');
  expect(roots.slice(0, -1)).toEqual(expect.arrayContaining([...rootCertificates]));
});
