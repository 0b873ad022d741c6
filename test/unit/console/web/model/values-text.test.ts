import { expect, test } from '@jest/globals';
import { readValues } from '#console/web/model/values-text.js';

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
