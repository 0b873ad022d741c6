import { expect, test } from '@jest/globals';
import { STATES, WORST_FIRST } from '#api/v1alpha1/states.js';
import { meaningOf, SYMBOLS } from '#queries/views/state-meaning.js';

test('what is bad comes before what moves, and what is good comes last', () => {
  const order = ['bad', 'moving', 'idle', 'good'];
  const meanings = WORST_FIRST.map((state) => order.indexOf(meaningOf(state)));
  expect(meanings).toEqual([...meanings].sort((a, b) => a - b));
  expect(new Set(meanings).size).toBe(order.length);
});

test('each state has a rank of its own', () => {
  expect(WORST_FIRST.map((state) => STATES[state].rank)).toEqual(WORST_FIRST.map((_, index) => index + 1));
});

test('a state that nobody knows is neither good nor bad', () => {
  expect(meaningOf('Invented')).toBe('moving');
});

test('no two meanings look alike', () => {
  expect(new Set(Object.values(SYMBOLS)).size).toBe(4);
});
