import { describe, expect, test } from '@jest/globals';
import { PAGE_HEADER } from '#console/shared/request-headers.js';
import { endedBy, openedBy, sessionToken } from '#console/shared/session.js';

const TOKEN = 'eyJ.a_b-c.d/e+f==;,"';
const page = { [PAGE_HEADER]: ['1'] };
const pairOf = (header = ''): string => header.split(';')[0] ?? '';

describe.each([
  ['without TLS', false, 'fairlead-session='],
  ['with TLS', true, '__Host-fairlead-session='],
])('a session %s', (_, isSecure, name) => {
  const opened = openedBy(TOKEN, isSecure);

  test('is kept from scripts, other sites and other hosts', () => {
    expect(opened).toMatch(
      new RegExp(`^${name}[^ ;,"]+; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}$`),
    );
  });

  test('gives the token back to a page of ours', () => {
    expect(sessionToken({ ...page, cookie: [`other=1; ${pairOf(opened)}`] }, isSecure)).toBe(TOKEN);
  });

  test.each<[string, Record<string, string[]>]>([
    ['no cookie', page],
    ['a request of another page', { cookie: [pairOf(opened)] }],
    ['two of them', { ...page, cookie: [`${pairOf(opened)}; ${name}evil`] }],
    ['one in each of two headers', { ...page, cookie: [pairOf(opened), `${name}evil`] }],
    ['half an escape', { ...page, cookie: [`${name}%E0%A4%A`] }],
    ['a name that only ends alike', { ...page, cookie: [`x${pairOf(opened)}`] }],
    ['the cookie of the other scheme', { ...page, cookie: [pairOf(openedBy(TOKEN, !isSecure))] }],
  ])('gives none for %s', (_case, headers) => {
    expect(sessionToken(headers, isSecure)).toBeUndefined();
  });

  test('ends with an empty cookie of the same name', () => {
    expect(endedBy(isSecure)).toMatch(new RegExp(`^${name}; .*; Max-Age=0$`));
  });
});

test('a token that a browser would drop opens none', () => {
  expect(openedBy('a'.repeat(4_000), true)).toBeDefined();
  expect(openedBy('a'.repeat(4_001), true)).toBeUndefined();
});
