import { describe, expect, it } from '@jest/globals';
import { selectionWarnings } from '#controllers/application/model/destinations/selections.js';
import { own } from './builders.js';

const SELECTION = { path: 'deploy[0]', text: 'release web/web', matched: [own('eu')], excluded: [], unknown: [] };

describe('a warning about selectors', () => {
  const cases: Record<string, [Parameters<typeof selectionWarnings>, string[]]> = {
    'is not needed without a selector': [[[], ['why']], []],
    'is not needed if all is well': [[[SELECTION], []], []],
    'names the field that matches nobody': [
      [[{ ...SELECTION, matched: [] }], []],
      ['deploy[0].destination.clusterSelector: no cluster matches'],
    ],
    'names those whose exclusion has no effect': [
      [[{ ...SELECTION, unknown: ['a', 'b'] }], []],
      ['deploy[0].destination.clusterSelector.exclude: no matching cluster is called "a", "b"'],
    ],
    'says why clusters may be missing': [
      [[SELECTION], ['clusters are not served']],
      ['clusters may be missing: clusters are not served'],
    ],
  };
  it.each(Object.entries(cases))('%s', (_, [input, expected]) => {
    expect(selectionWarnings(...input)).toEqual(expected);
  });
});
