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
  ])('%s after %s: %s', (version, than, expected) => {
    expect(isNewerVersion(version, than)).toBe(expected);
  });
});
