import { describe, expect, it } from '@jest/globals';
import {
  chooseVersions,
  unresolvedText,
  type ChoiceInput,
  versionsOf,
} from '#controllers/application/model/spec/resolved-versions.js';
import { range } from './builders.js';

const SIX = range('6.x');
type Found = ChoiceInput['references'][number]['found'];

const LOST: Found = { problem: 'it is gone' };

const COMING: Found = { problem: 'it is fetched', next: '6.8.0' };

function now(revision: string): Found {
  return { resolved: revision };
}

function chosen(before: string | undefined, isRollingOut: boolean, found: Found) {
  const versions = new Map(before === undefined ? [] : [[unresolvedText(SIX), before] as const]);
  const [choice] = chooseVersions({ references: [{ reference: SIX, found }], before: versions, isRollingOut });
  const { resolved, available, problem } = choice ?? {};
  return [resolved, available, problem];
}

describe('the version of a range', () => {
  it.each<[string, [string | undefined, boolean, Found], (string | undefined)[]]>([
    ['is the one that is found now, at first', [undefined, false, now('6.8.0')], ['6.8.0', undefined, undefined]],
    [
      'is the one that is found now after an edit of the range',
      [undefined, true, now('6.8.0')],
      ['6.8.0', undefined, undefined],
    ],
    ['is a newer version once a rollout is over', ['6.7.1', false, now('6.8.0')], ['6.8.0', undefined, undefined]],
    ['is an older version too', ['6.8.0', false, now('6.7.1')], ['6.7.1', undefined, undefined]],
    ['is held while a rollout goes on', ['6.7.1', true, now('6.8.0')], ['6.7.1', '6.8.0', undefined]],
    ['is as before if nothing is new', ['6.7.1', true, now('6.7.1')], ['6.7.1', undefined, undefined]],
    ['stays when nobody knows it any more', ['6.7.1', false, LOST], ['6.7.1', undefined, 'it is gone']],
    ['stays during a rollout, too', ['6.7.1', true, LOST], ['6.7.1', undefined, 'it is gone']],
    ['is to be what comes', ['6.7.1', false, COMING], ['6.7.1', '6.8.0', 'it is fetched']],
    ['is to be what comes after a rollout', ['6.7.1', true, COMING], ['6.7.1', '6.8.0', 'it is fetched']],
    ['is nothing but what comes at first', [undefined, false, COMING], [undefined, '6.8.0', 'it is fetched']],
    ['is unknown as long as nobody ever knew it', [undefined, false, LOST], [undefined, undefined, 'it is gone']],
  ])('%s', (_name, situation, expected) => {
    expect(chosen(...situation)).toEqual(expected);
  });

  it('is known once each reference has a version', () => {
    const versions = [now('7.0.0'), LOST].map((found) => {
      const references = [
        { reference: SIX, found: now('6.8.0') },
        { reference: range('7.x'), found },
      ];
      return versionsOf(chooseVersions({ references, before: new Map(), isRollingOut: false }));
    });
    expect(versions[0]?.size).toBe(2);
    expect(versions[1]).toBeUndefined();
    expect(versionsOf([])?.size).toBe(0);
  });
});
