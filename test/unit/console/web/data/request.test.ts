import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { request, sayUser, type RequestOptions } from '#console/web/data/request.js';

const heard: Headers[] = [];

beforeEach(() => {
  jest.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
    heard.push(new Headers(init?.headers));
    return Promise.resolve(new Response('{}'));
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  sayUser('');
});

it.each<[string, string, RequestOptions, string | null]>([
  ['whose it is', 'Zoë', {}, 'Zo%C3%AB'],
  ['nothing before that is known', '', {}, null],
  ['nothing of a user who asks who is signed in', 'bob', { isOfAnybody: true }, null],
  ['nothing of a user while another one signs in', 'bob', { method: 'POST', token: 't' }, null],
])('a request says %s', async (_, user, options, said) => {
  sayUser(user);
  await request('/session', options);
  expect([heard.at(-1)?.get('x-fairlead-user'), heard.at(-1)?.get('x-fairlead-page')]).toEqual([said, '1']);
});
