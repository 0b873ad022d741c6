import { describe, expect, test } from '@jest/globals';
import { otherUserProblem, USER_HEADER, userHeaderOf } from '#console/shared/request-headers.js';

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
