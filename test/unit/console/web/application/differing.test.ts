import { expect, test } from '@jest/globals';
import { othersFrom, verdictOf } from '#console/web/application/model/compared.js';
import type { ComparedObject } from '#queries/answers/members.js';
import type { ComparedState } from '#queries/answers/words.js';

const found = (states: readonly ComparedState[], more = 0, problem = '') => ({
  value: { objects: states.map((state) => ({ state }) as ComparedObject), more, problem },
});

test.each<[string, Parameters<typeof verdictOf>[0], object | undefined]>([
  ['nothing yet', {}, undefined],
  ['a session that is over', { problem: { kind: 'login', title: 'Sign in' } }, undefined],
  ['no answer', { problem: { kind: 'disconnected', title: 'No answer' } }, { text: 'No answer', meaning: 'idle' }],
  ['all as wanted', found(['same', 'ignored']), { text: '1 ignored, 1 same', meaning: 'good', differs: false }],
  ['one that is missing', found(['missing', 'unknown'], 1), { meaning: 'bad', differs: true }],
  ['too many', found(['same'], 5), { text: '1 same, 5 not compared', meaning: 'idle', differs: false }],
  ['one that may not be compared', found(['same', 'unreadable']), { meaning: 'idle', differs: false }],
  ['what is wanted is not known', found(['unknown']), { meaning: 'idle', differs: false }],
  ['a cluster that hangs', found([], 0, 'no answer'), { text: 'not read', meaning: 'idle', differs: false }],
  ['nothing that is wanted', found([]), { text: 'no objects', meaning: 'idle', differs: false }],
])('of %s', (_, read, verdict) => {
  if (verdict === undefined) expect(verdictOf(read)).toBeUndefined();
  else expect(verdictOf(read)).toMatchObject(verdict);
});

test('the others begin behind the current one', () => {
  expect(othersFrom(['a', 'b', 'c', 'd'], 'b')).toEqual(['c', 'd', 'a']);
  expect(othersFrom(['a'], 'a')).toEqual([]);
  expect(othersFrom(['a', 'b'], 'x')).toEqual(['a', 'b']);
});
