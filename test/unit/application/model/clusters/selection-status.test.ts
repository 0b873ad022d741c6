import { describe, expect, it } from '@jest/globals';
import { selectionStatus } from '#controllers/application/model/destinations/selections.js';
import { own } from './builders.js';

const SELECTION = { path: 'deploy[0]', text: 'release web/web', matched: [], excluded: [], unknown: [] };

describe('the status of selectors', () => {
  it('is absent without a selector', () => {
    expect(selectionStatus([], 'shop')).toBeUndefined();
  });

  it('says what matches and what is excluded, and why', () => {
    const selection = { ...SELECTION, matched: [own('eu'), own('us')], excluded: [own('stage')] };
    expect(selectionStatus([selection, SELECTION], 'shop')).toEqual({
      matched: 2,
      excluded: 1,
      selectors: [
        { entry: 'deploy[0]', matched: 2, excluded: [{ cluster: 'stage', why: 'named in exclude' }] },
        { entry: 'deploy[0]', matched: 0 },
      ],
    });
  });

  it('lists a bounded number, counts all, and says so', () => {
    const excluded = Array.from({ length: 40 }, (_, index) => own(`c${index}`));
    const status = selectionStatus(
      [
        { ...SELECTION, excluded },
        { ...SELECTION, excluded },
      ],
      'shop',
    );
    expect(status).toMatchObject({ excluded: 80, truncated: true });
    expect(status?.selectors.map((each) => each.excluded?.length)).toEqual([40, 10]);
  });
});
