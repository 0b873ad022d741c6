import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { childPath, referenceTo, resolvePath } from '#controllers/kustomization/model/tree.js';

test.each([
  ['', './a', 'a'],
  ['a/b', '../c/./d/', 'a/c/d'],
  ['a', '..', ''],
  ['a', '../..', undefined],
  ['', '../a', undefined],
  ['a', 'b/../../../a', undefined],
  ['a', '/etc/passwd', undefined],
  ['', 'https://example.com/x', 'https:/example.com/x'],
])('in %j the reference %j means %j', (folder, ref, path) => {
  expect(resolvePath(folder, ref)).toBe(path);
});

const path = fc
  .array(fc.constantFrom('a', 'b', 'https:', 'github.com', '..x'), { maxLength: 4 })
  .map((parts) => parts.join('/'));

test('a reference leads where it should, and is never absolute nor a URL', () => {
  fc.assert(
    fc.property(path, path, (folder, to) => {
      const reference = referenceTo(folder, to);
      expect(resolvePath(folder, reference)).toBe(to);
      expect(reference).toMatch(/^\.\.?(\/|$)/);
    }),
  );
});

test('a child of the root has no slash', () => {
  expect([childPath('', 'a'), childPath('a', 'b')]).toEqual(['a', 'a/b']);
});
