import { describe, expect, test } from '@jest/globals';
import { errorLine } from '#cli/command/exit.js';

describe('errorLine', () => {
  test.each<[string, unknown, string]>([
    ['an error is its message', new Error('it broke'), 'it broke'],
    ['a cause follows', new Error('cannot read', { cause: new Error('no such file') }), 'cannot read: no such file'],
    [
      'a cause that the message repeats is not said twice',
      new Error('cannot read: no such file', { cause: new Error('no such file') }),
      'cannot read: no such file',
    ],
    [
      'causes of causes follow too',
      new Error('a', { cause: new Error('bb', { cause: new Error('ccc') }) }),
      'a: bb: ccc',
    ],
    ['an error without a message is its name', new TypeError(''), 'TypeError'],
    ['anything else is printed', 'text', 'text'],
  ])('%s', (_, error, line) => {
    expect(errorLine(error)).toBe(line);
  });
});
