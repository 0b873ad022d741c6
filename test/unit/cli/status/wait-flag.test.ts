import { describe, expect, test } from '@jest/globals';
import { nameOf, type WaitFlag } from '#cli/status/status.js';

describe('the name of the Application', () => {
  test.each<[string, string | undefined, WaitFlag | undefined, string | undefined]>([
    ['is the argument', 'web', undefined, 'web'],
    ['is the argument before --wait', 'web', true, 'web'],
    ['is the argument with --wait=Ready', 'web', 'Ready', 'web'],
    ['may follow --wait', undefined, 'web', 'web'],
    ['may be missing', undefined, 'Ready', undefined],
  ])('%s', (_, argument, wait, name) => expect(nameOf(argument, wait)).toBe(name));

  test.each([
    ['another state', undefined, 'Healthy'],
    ['no state', undefined, ''],
    ['the state in other letters', undefined, 'ready'],
    ['two names', 'web', 'cart'],
  ])('is not made up from %s', (_, argument, wait) => {
    expect(() => nameOf(argument, wait)).toThrow(`--wait=${wait}: the state must be Ready`);
  });
});
