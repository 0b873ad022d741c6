import { expect, test } from '@jest/globals';
import { impersonationHeaders } from '#lib/kube/impersonation.js';

test('all that decides about the rights of a user', () => {
  const extra = { 'example.org/Scopes': ['a', 'b'], empty: [] };
  expect(impersonationHeaders({ username: 'eve', uid: '7', groups: ['dev', 'a,b'], extra })).toEqual({
    'impersonate-user': 'eve',
    'impersonate-uid': '7',
    'impersonate-group': ['dev', 'a,b'],
    'impersonate-extra-example.org%2FScopes': ['a', 'b'],
  });
});

test('nothing is claimed that is not known', () => {
  expect(impersonationHeaders({ username: 'eve', uid: '', groups: [], extra: {} })).toEqual({
    'impersonate-user': 'eve',
  });
});

test('names are sent as the bytes of UTF-8, keys in characters that a header may have', () => {
  const headers = impersonationHeaders({ username: 'Ève', extra: { 'clé (x)': ['ü'] } });
  const value = (name: string): string => Buffer.from(String(headers[name]), 'latin1').toString('utf8');
  expect(value('impersonate-user')).toBe('Ève');
  expect(value('impersonate-extra-cl%C3%A9%20%28x%29')).toBe('ü');
});

test.each([
  { username: ' admin' },
  { username: 'admin\t' },
  { username: 'a\r\nb' },
  { username: 'eve', groups: [' system:masters'] },
  { username: 'eve', groups: ['system:masters\u00a0'] },
  { username: 'eve', uid: '7 ' },
])('%j is not sent: it would arrive as somebody else', (user) => {
  expect(() => impersonationHeaders(user)).toThrow(/cannot be impersonated/);
});
