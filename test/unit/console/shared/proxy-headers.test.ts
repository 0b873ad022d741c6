import { describe, expect, test } from '@jest/globals';
import { claimOf } from '#console/shared/proxy-headers.js';

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

describe('what a proxy claims', () => {
  test('is a user with groups and whatever else its authenticator knows', () => {
    const headers = {
      'x-remote-user': [bytes('Ève')],
      'x-remote-group': ['dev', 'a,b', ''],
      'x-remote-extra-example.org%2fScopes': ['one', 'two'],
      'x-remote-extra-100%': ['raw'],
      'x-remote-extra-': ['no key'],
      'x-forwarded-user': ['mallory'],
    };
    expect(claimOf(headers)).toEqual({
      user: {
        username: 'Ève',
        groups: ['dev', 'a,b'],
        extra: { 'example.org/scopes': ['one', 'two'], '100%': ['raw'] },
      },
    });
  });

  test.each([
    ['nothing without a user, whatever else is there', { 'x-remote-group': ['admins'] }, undefined],
    ['two users', { 'x-remote-user': ['eve', 'admin'] }, { problem: 'x-remote-user was sent 2 times' }],
    [
      'no uid, which the user himself may have sent',
      { 'x-remote-user': ['eve'], 'x-remote-uid': ['1', '2'] },
      { user: { username: 'eve', groups: [], extra: {} } },
    ],
    ['a user without a name', { 'x-remote-user': [''] }, { problem: 'the proxy names no user' }],
    [
      'a name that is the one of somebody else without its spaces',
      { 'x-remote-user': [bytes('\u00a0admin')] },
      { problem: 'the name of the user begins or ends with a space' },
    ],
    [
      'no group that is another one without its spaces',
      { 'x-remote-user': ['eve'], 'x-remote-group': ['dev', bytes('admins\u00a0'), bytes('\u2003ops')] },
      { user: { username: 'eve', groups: ['dev'], extra: {} } },
    ],
    ['nobody', { 'x-remote-user': ['system:anonymous'] }, { problem: 'the proxy names no user' }],
    [
      'the group that may do everything',
      { 'x-remote-user': ['eve'], 'x-remote-group': ['dev', 'system:masters'] },
      { problem: 'a proxy may not claim the group system:masters' },
    ],
  ])('%s', (_, headers, expected) => expect(claimOf(headers)).toEqual(expected));

  test('a key that means something to JavaScript is a key', () => {
    const claim = claimOf({ 'x-remote-user': ['eve'], 'x-remote-extra-__proto__': ['x'] });
    const extra = claim !== undefined && 'user' in claim ? claim.user.extra : undefined;
    expect(Object.keys(extra ?? {})).toEqual(['__proto__']);
  });
});
