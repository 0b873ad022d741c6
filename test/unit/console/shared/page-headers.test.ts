import { describe, expect, test } from '@jest/globals';
import {
  foreignPageProblem,
  isForm,
  otherUserProblem,
  USER_HEADER,
  userHeaderOf,
} from '#console/shared/request-headers.js';

describe('a page', () => {
  test.each(['bob', 'system:serviceaccount:shop:web', 'Zoë, 100 %', '\ud800'])('of %j is answered to him', (user) => {
    expect(userHeaderOf(user)).toMatch(/^[!-~]+$/);
    expect(otherUserProblem({ [USER_HEADER]: [userHeaderOf(user)] }, user)).toBeUndefined();
  });

  test('that does not say whose it is is answered', () => {
    expect(otherUserProblem({}, 'bob')).toBeUndefined();
  });

  test.each([[['alice']], [['Bob']], [['']], [['bob', 'alice']]])('of %j is not answered to bob', (said) => {
    expect(otherUserProblem({ [USER_HEADER]: said }, 'bob')).toMatch(/"bob" is signed in now/);
  });
});

describe('a change', () => {
  const known = {
    hosts: ['console:8090', 'KS.example'],
    publicUrls: ['https://ks.example:30880/x', 'http://[::1]:80'],
  };

  test.each([
    'http://console:8090',
    'https://console:8090',
    'http://ks.example',
    'https://ks.example',
    'https://ks.example:30880',
    'http://[::1]',
  ])('of a page of %s is made', (origin) => {
    expect(foreignPageProblem({ origin: [origin] }, known)).toBeUndefined();
  });

  test.each([
    'http://console',
    'http://ks.example:443',
    'https://evil.example',
    'null',
    '',
    'file://',
    'http://',
    'ks.example',
  ])('of a page of %j is not made', (origin) => {
    expect(foreignPageProblem({ origin: [origin] }, known)).toContain('--public-url');
  });

  test('of a page that the browser calls foreign is not made, and of no page it is', () => {
    expect(foreignPageProblem({ 'sec-fetch-site': ['same-site'] }, known)).toBe('the request is of another site');
    expect(foreignPageProblem({ 'sec-fetch-site': ['same-origin'] }, known)).toBeUndefined();
    expect(foreignPageProblem({}, { hosts: [], publicUrls: [] })).toBeUndefined();
  });

  test('is of a form if its type is named, and no JSON', () => {
    const types = ['text/plain', 'multipart/form-data; boundary=x', '', 'application/json', 'Application/JSON ; a=b'];
    expect(types.map((type) => isForm({ 'content-type': [type] }))).toEqual([true, true, true, false, false]);
    expect(isForm({})).toBe(false);
  });
});
