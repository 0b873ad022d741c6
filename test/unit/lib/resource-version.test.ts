import { describe, expect, it } from '@jest/globals';
import { isNewerVersion } from '#runtime/cache/store.js';

describe('isNewerVersion', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['10', '9', true],
    ['9', '10', false],
    ['9', '9', false],
    ['9007199254740993', '9007199254740992', true],
    ['10', undefined, false],
    [undefined, '9', false],
    ['b', 'a', false],
    ['10', '', false],
    ['99', '100', false],
    ['340282366920938463463374607431768211455', '340282366920938463463374607431768211454', true],
    // Neither is a version that Kubernetes compares.
    ['010', '9', false],
    ['9', '0', false],
    ['1'.repeat(40), '9', false],
    ['1'.repeat(41), '1'.repeat(40), false],
  ])('%s after %s: %s', (version, than, expected) => {
    expect(isNewerVersion(version, than)).toBe(expected);
  });
});
