import { expect, test } from '@jest/globals';
import { stepsSince, withStep, type Step } from '#console/server/v1/kept-overviews.js';

const LONG = 1_000_000;

function step(from: string, length = 10): Step {
  return { from, changed: new Map([['', 'x'.repeat(length)]]), removed: new Set() };
}

function namesOf(steps: readonly Step[] | undefined): string | undefined {
  return steps?.map(({ from }) => from).join('');
}

test('steps lead from the last answer with a tag', () => {
  const steps = ['a', 'b', 'c', 'b'].map((from) => step(from));
  expect(['a', 'b', 'c', 'z'].map((tag) => namesOf(stepsSince(steps, tag)))).toEqual(['abcb', 'b', 'cb', undefined]);
});

test.each<[string, string, number, string]>([
  ['all of them that fit', 'abc', 160, 'abcd'],
  ['the newest ones that fit', 'abc', 80, 'cd'],
  ['none, if the last one alone is long', 'abc', 39, ''],
])('what is kept is %s', (_, before, answerLength, after) => {
  const steps = before.split('').map((from) => step(from));
  expect(namesOf(withStep(steps, step('d'), answerLength))).toBe(after);
});

test('no more steps are kept than readers need', () => {
  let steps: readonly Step[] = [];
  for (let index = 0; index < 100; index += 1) steps = withStep(steps, step(`${index},`), LONG);
  expect([steps.length, steps[0]?.from, steps.at(-1)?.from]).toEqual([32, '68,', '99,']);
});

test('what is gone counts, too', () => {
  const removed = new Set(['team-a/web'.repeat(10)]);
  expect(withStep([], { from: 'a', changed: new Map(), removed }, 399)).toEqual([]);
});
