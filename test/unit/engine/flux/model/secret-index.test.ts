import { expect, test } from '@jest/globals';
import { Budget, SecretIndex, type IsHidden, type Pattern } from '#engine/flux/model/secret-index.js';

function indexOf(...texts: readonly string[]): SecretIndex {
  return new SecretIndex(texts.map((text): Pattern => ({ text, secret: text, isSure: true })));
}

function found(index: SecretIndex, text: string, isHidden: IsHidden = () => true): string[] {
  return [...index.find(text, isHidden, new Budget())].map(({ from, to }) => `${from} ${text.slice(from, to)}`);
}

test.each<[string, readonly string[], string, readonly string[]]>([
  ['a long one anywhere', ['p4ss'], 'xp4ssx p4ss', ['1 p4ss', '7 p4ss']],
  ['the longest one at each place', ['ab12', 'ab123', 'b123-4'], 'ab123-4', ['0 ab123', '1 b123-4']],
  ['a word as a whole', ['admin'], 'admin _admin- administrator', ['0 admin', '7 admin']],
  ['letters that make no words of their own anywhere', ['密码密码'], '我密码密码我', ['1 密码密码']],
  ['a long word anywhere', ['adminis'.padEnd(8, 't')], 'administrator', ['0 administ']],
  ['a number as a whole', ['5432'], ':5432 15432', ['1 5432']],
  ['two letters as a whole', ['db'], 'db dbs', ['0 db']],
  ['digits in quotes or as a value', ['42'], 'line 42, "42", n: 42', ['10 42', '18 42']],
  ['signs between signs', ['@1'], 'x@1 @1', ['4 @1']],
  ['the start of a cut one', ['hunter2!x'], 'a hunter2...', ['2 hunter2']],
  ['no start of a word in a word', ['testing'], 'latest...', []],
])('finds %s', (_title, texts, text, expected) => {
  expect(found(indexOf(...texts), text)).toEqual(expected);
});

test('a shorter one counts where the longer one is not hidden', () => {
  const index = indexOf('ab12', 'ab123');
  expect(found(index, 'ab123', ({ text }) => text === 'ab12')).toEqual(['0 ab12']);
});

test('the work has a limit', () => {
  const budget = new Budget();
  const many = Array.from({ length: 2_000 }, (_none, length) => `${'a'.repeat(100 + length)}b`);
  expect([...indexOf(...many).find('a'.repeat(100_000), () => true, budget)]).toEqual([]);
  expect(budget.isSpent).toBe(true);
});
