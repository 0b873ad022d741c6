import { expect, test } from '@jest/globals';
import { LOGIN_MINUTES, OneTimeLogins } from '#console/server/one-time-logins.js';

const CODE = 'c'.repeat(43);
const LIFETIME_MS = LOGIN_MINUTES * 60_000;
const USED = /^the link was used already: .*Enter prints another one/;
const LATE = /^the link is older than 10 minutes: /;
const UNKNOWN = /^the link is not one of this server: /;

function offered() {
  const clock = { ms: 1_000 };
  const logins = new OneTimeLogins(() => clock.ms);
  logins.offer({ code: CODE, token: 'token' });
  return { clock, logins };
}

test('a code signs in once', () => {
  const { logins } = offered();
  expect(logins.use(CODE)).toBe('token');
  expect(() => logins.use(CODE)).toThrow(USED);
  expect(() => logins.tokenOf(CODE)).toThrow(USED);
});

test('a code is not used up by asking for its token', () => {
  const { logins } = offered();
  expect([logins.tokenOf(CODE), logins.tokenOf(CODE), logins.use(CODE)]).toEqual(['token', 'token', 'token']);
});

test('a code is late after its minutes, and stays so', () => {
  const { clock, logins } = offered();
  clock.ms += LIFETIME_MS - 1;
  expect(logins.tokenOf(CODE)).toBe('token');
  clock.ms += 1;
  expect(() => logins.use(CODE)).toThrow(LATE);
  logins.offer({ code: 'd'.repeat(43), token: 'other' });
  expect(() => logins.use(CODE)).toThrow(LATE);
});

test.each([
  ['another code', 'd'.repeat(43)],
  ['no code', undefined],
  ['an empty one', ''],
  ['a short one', 'c'],
  ['a long one', 'c'.repeat(1_000_000)],
  ['an object', { toString: () => CODE }],
  ['a list', [CODE]],
  ['the name of a property', '__proto__'],
])('%s signs nobody in', (_, code) => {
  const { logins } = offered();
  expect(() => logins.use(code)).toThrow(UNKNOWN);
  expect(logins.use(CODE)).toBe('token');
});

test.each(['', 'guessable', `${CODE} `])('%j is not offered', (code) => {
  const logins = new OneTimeLogins(() => 0);
  expect(() => logins.offer({ code, token: 'token' })).toThrow('a code has 32 to 128');
});

test('a hundred codes are known, and the oldest is forgotten for another one', () => {
  const { logins } = offered();
  const codes = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(43, 'x'));
  for (const code of codes) logins.offer({ code, token: code });
  expect(() => logins.use(CODE)).toThrow(UNKNOWN);
  expect(codes.map((code) => logins.use(code))).toEqual(codes);
});
