import { expect, test } from '@jest/globals';
import { compileCel } from '#lib/cel/cel.js';

const DATA = { text: 'abcabc', items: [1, 2, 'a'], secret: 'YWI=' };

test.each([
  "text.charAt(1) == 'b'",
  "text.charAt(6) == ''",
  "'a漢𝄞'.charAt(2) == '𝄞'",
  "'a漢𝄞'.reverse() == '𝄞漢a'",
  "text.replace('b', 'x') == 'axcaxc'",
  "text.replace('b', 'x', 1) == 'axcabc'",
  "text.replace('b', 'x', 0) == text",
  "text.replace('b', '$&', -1) == 'a$&ca$&c'",
  "'ab'.replace('', '-') == '-a-b-'",
  'sets.contains(items, [2, 1, 1])',
  '!sets.contains(items, [3])',
  'sets.contains([1, 2], [1.0])',
  "!sets.contains([1, 2], ['1'])",
  'sets.contains([], [])',
  'sets.equivalent([1, 2], [2, 1, 2])',
  '!sets.equivalent([1, 2], [1])',
  "sets.intersects(items, ['z', 'a'])",
  '!sets.intersects(items, [])',
  "base64.encode(b'ab') == secret",
  "string(base64.decode(secret)) == 'ab'",
])('%s', (text) => {
  expect(compileCel({ text, field: 'spec.check' }).evaluate(DATA)).toEqual({ value: true });
});

test.each([
  ["text.charAt(7) == ''", 'index out of range: 7'],
  ["text.charAt(-1) == ''", 'index out of range: -1'],
  ["base64.decode('!') == b''", 'illegal base64 data'],
])('%s has no answer', (text, problem) => {
  expect(compileCel({ text, field: 'spec.check' }).evaluate(DATA)).toEqual({ problem });
});

test('they are there for named variables, too', () => {
  const source = { text: "dep.metadata.name.replace('b', 'x') == 'dx'", field: 'spec.check', variables: ['dep'] };
  expect(compileCel(source).evaluate({ dep: { metadata: { name: 'db' } } })).toEqual({ value: true });
});
