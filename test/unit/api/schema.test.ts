import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { duration, DURATION_PATTERN } from '#api/schema.js';
import { parseDuration } from '#lib/duration.js';

describe('durations', () => {
  const pattern = new RegExp(DURATION_PATTERN);

  test.each(['1m', '5m0s', '1h30m', '1.5s', '300ms', '0s'])('%s is one', (text) => {
    expect(pattern.test(text)).toBe(true);
  });

  test.each(['', '1', 'm', '1d', '-1m', '1m ', '1 m', '.5s', '1us', '1m\n'])('%j is none', (text) => {
    expect(pattern.test(text)).toBe(false);
  });

  test('are what the controller can read', () => {
    const part = fc.tuple(fc.nat(9_999), fc.option(fc.nat(999)), fc.constantFrom('ms', 's', 'm', 'h'));
    const almost = fc.string({ unit: fc.constantFrom('1', '.', 'm', 's', 'h', ' ', '-'), maxLength: 8 });
    const text = fc
      .array(part, { minLength: 1, maxLength: 4 })
      .map((parts) => parts.map(([whole, rest, unit]) => `${whole}${rest === null ? '' : `.${rest}`}${unit}`).join(''));
    fc.assert(
      fc.property(fc.oneof(text, almost, fc.string()), (candidate) => {
        expect(parseDuration(candidate) !== undefined).toBe(pattern.test(candidate));
      }),
    );
  });

  test('have that form in the schemas', () => {
    expect(duration('How long.')).toMatchObject({ type: 'string', pattern: DURATION_PATTERN });
  });
});
