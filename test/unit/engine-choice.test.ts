import { describe, expect, it } from '@jest/globals';
import { chooseEngine } from '../../controllers/engine-choice.js';

describe('chooseEngine', () => {
  it.each([
    ['auto', 'ours', 'embedded'],
    ['auto', 'foreign', 'external'],
    ['embedded', 'ours', 'embedded'],
    ['embedded', 'foreign', 'embedded'],
    ['external', 'ours', 'external'],
    ['external', 'foreign', 'external'],
  ] as const)('--engine=%s with %s Flux CRDs runs %s', (wanted, crds, expected) => {
    expect(chooseEngine(wanted, crds)).toBe(expected);
  });

  it('says what to do when there are no Flux CRDs at all', () => {
    expect(() => chooseEngine('auto', 'missing')).toThrow('run `fairlead install`, or install Flux');
  });
});
