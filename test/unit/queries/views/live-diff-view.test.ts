import { describe, expect, it, test } from '@jest/globals';
import { comparedSummary, differs, worstCompared } from '#queries/views/live-diff-view.js';
import type { ComparedObject } from '#queries/answers/members.js';
import type { ComparedState } from '#queries/answers/words.js';

const object = (state: ComparedState, name: string): ComparedObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name, state, message: '', fields: [], moreFields: 0 },
});
const objects = [object('same', 'a'), object('changed', 'b'), object('missing', 'c'), object('changed', 'd')];

describe('compared objects', () => {
  it('have the worst first, and those of one state in their order', () => {
    expect(worstCompared(objects).map(({ name }) => name)).toEqual(['c', 'b', 'd', 'a']);
  });

  it('are counted by state', () => {
    expect(comparedSummary({ objects, more: 5 })).toBe('1 missing, 2 changed, 1 same, 5 not compared');
    expect(comparedSummary({ objects: [], more: 0 })).toBe('no objects');
  });
});

test.each<[ComparedState, boolean]>([
  ['missing', true],
  ['changed', true],
  ['unreadable', false],
  ['unknown', false],
  ['ignored', false],
  ['same', false],
])('what is %s differs: %s', (state, expected) => {
  expect(differs(object(state, 'a'))).toBe(expected);
});
