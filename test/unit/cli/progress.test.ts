import { describe, expect, test } from '@jest/globals';
import { newLines, stepFrame, type StepView } from '#cli/output/progress.js';

const VIEW: StepView = { title: 'Wait', said: '', seconds: 0 };
const TERMINAL = { columns: 40, rows: 24, isLive: true, hasColors: false, hasSymbols: true };

describe('the frame of a step', () => {
  test.each<[string, Partial<StepView>, string]>([
    ['has its title at once', {}, '● Wait'],
    ['says how long it takes', { seconds: 12 }, '● Wait (12 s)'],
    ['has below it what it says', { said: 'one\ntwo' }, '● Wait\n  one\n  two'],
    [
      'wraps what is too wide',
      { said: 'web  1/2  Failed  a cause that has many words' },
      '● Wait\n  web  1/2  Failed  a cause that has\n    many words',
    ],
    ['is one line when it is done', { said: 'one', end: 'done', seconds: 3 }, '✓ Wait (3 s)'],
    ['is one line when it failed', { said: 'one', end: 'failed' }, '✗ Wait'],
  ])('%s', (_, view, expected) => expect(stepFrame({ ...VIEW, ...view }, TERMINAL)).toBe(expected));
});

test.each([
  ['all at first', '', 'a\nb', ['a', 'b']],
  ['what changed', 'a 1/2\nb', 'a 2/2\nb', ['a 2/2']],
  ['nothing when there is less', 'a\nb', 'b', []],
  ['nothing for nothing', 'a', '', []],
])('an output that only grows gets %s', (_, before, after, expected) => {
  expect(newLines(before, after)).toEqual(expected);
});
