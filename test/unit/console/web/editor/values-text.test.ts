import { expect, test } from '@jest/globals';
import { areLongValues, readValues } from '#console/web/editor/model/application-text.js';

test.each<[string, object | undefined]>([
  ['a: 1\n', undefined],
  ['', undefined],
  ['# nothing\n', undefined],
  ['- a\n', { text: 'Values are a map: KEY: VALUE' }],
  ['text', { text: 'Values are a map: KEY: VALUE' }],
  ['a: [\n', { line: 2, column: 1 }],
])('%j', (text, problem) => {
  if (problem === undefined) expect(readValues(text)).toBeUndefined();
  else expect(readValues(text)).toMatchObject(problem);
});

test.each<[string, unknown, boolean]>([
  ['nothing', undefined, false],
  ['one text', { a: 'x'.repeat(99_999) }, false],
  ['one longer text', { a: 'x'.repeat(100_000) }, true],
  ['many', { list: Array.from({ length: 30_000 }, (_, at) => ({ [`key${at}`]: at })) }, true],
])('what is long is not shown twice: %s', (_, values, isLong) => {
  expect(areLongValues(values)).toBe(isLong);
});
