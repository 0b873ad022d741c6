import { expect, it } from '@jest/globals';
import { OTHER_PATHS } from '#console/shared/pages.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { send } from './harness.js';
import { dismiss, gatherPeople, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'missing'), dismiss);
const BROWSER = ['accept', 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode', 'navigate'];
const HTML = 'text/html; charset=utf-8';

const ask = (path: string, more = {}) => send(setting.plain.port, path, { headers: BROWSER, ...more });

it('is the page of all others, with 404, for whoever asks by a browser', async () => {
  const page = await ask('/');
  for (const token of [undefined, setting.tokens.admin, 'wrong']) {
    const answer = await ask('/nowhere?x=/api/v1', token === undefined ? {} : { token });
    expect([answer.code, answer.type]).toEqual([404, HTML]);
    expect(answer.text).toBe(page.text);
  }
});

it('has the policy of all others, and is kept by nobody', async () => {
  const at = (path: string) =>
    fetch(`http://127.0.0.1:${setting.plain.port}${path}`, { headers: { accept: 'text/html' } });
  const [page, missing] = [await at('/'), await at('/nowhere')];
  const names = ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'referrer-policy'];
  const headers = names.map((name) => page.headers.get(name));
  expect(names.map((name) => missing.headers.get(name))).toEqual(headers);
  expect(headers).not.toContain(null);
  expect([missing.headers.get('cache-control'), missing.headers.get('set-cookie')]).toEqual(['no-store', null]);
});

it('has no body for HEAD', async () => {
  const { code, type, text } = await ask('/nowhere', { method: 'HEAD' });
  expect([code, type, text]).toEqual([404, HTML, '']);
});

it.each([
  ...OTHER_PATHS.map((first) => `/${first}/none`),
  ...['/API/v1/none', '/apI', '/%61pi/v1/none', '//api/v1/none', '//nowhere', '/nowhere/../api/v1/none', '/./api/none'],
  ...['/nowhere%2f..%2fapi', '/..%2f..%2fetc%2fpasswd', '/nowhere;/api', '/nowhere\\api', '/nowhere%00', '/%E0%A4'],
])('%s is no page, whoever asks', async (path) => {
  for (const token of [undefined, setting.tokens.admin]) {
    const { code, type, text } = await ask(path, token === undefined ? {} : { token });
    expect([400, 401, 404]).toContain(code);
    expect(type).not.toContain('html');
    expect(text).not.toContain('<');
  }
});

it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is only shown, and not for %s', async (method) => {
  const { code, type } = await ask('/nowhere', { method, token: setting.tokens.admin });
  expect(code).toBe(404);
  expect(type).not.toContain('html');
});

it('is an error for programs', async () => {
  for (const accept of ['application/json', '*/*']) {
    const { type } = await ask('/nowhere', { headers: ['accept', accept], token: setting.tokens.admin });
    expect(type).not.toContain('html');
  }
  expect((await ask('/nowhere', { headers: [] })).code).toBe(401);
});
