import { describe, expect, it } from '@jest/globals';
import { isVersionRange } from '../../../../controllers/runtime/pure/version-range.js';

describe('a version of a chart', () => {
  it.each([
    '1.2.3',
    'v1.2.3',
    '*',
    '5.*',
    '1.x',
    '~1.2',
    '^1',
    '>=1.2 <2',
    '>=1.2, <2',
    '1.2 - 1.4',
    '!=1.3.0',
    '=>1.0',
    '1.2.3-rc.1',
  ])('may be %s', (version) => {
    expect(isVersionRange(version)).toBe(true);
  });

  it.each(['latest', 'one', '1.2.3.4', '>', 'v'])('may not be %s', (version) => {
    expect(isVersionRange(version)).toBe(false);
  });
});
