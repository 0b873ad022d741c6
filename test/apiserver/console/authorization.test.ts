import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { fixture } from '../../support/fixture.js';
import { useWorld } from '../../support/world.js';
import { BASE, proxied, sendDescribed } from './harness.js';
import { dismiss, gatherPeople, SPEC, withWeb, type People } from './people.js';

const setting = fixture<People>(async () => gatherPeople(await useWorld(), 'console'), dismiss);

const web = (): Promise<Application> => withWeb(setting);
const at = (rest = ''): string => `${BASE}/namespaces/${setting.namespace}/applications${rest}`;

describe('headers of a proxy', () => {
  const dev = (): string[] => proxied({ username: 'eve', groups: [`${setting.namespace}-dev`] });

  it('count from an address that is trusted, with the rights of the groups in them', async () => {
    await web();
    const { port } = setting.behindProxy;
    expect((await sendDescribed(port, at(), { headers: dev() })).code).toBe(200);
    expect((await sendDescribed(port, at(), { headers: proxied({ username: 'eve' }) })).code).toBe(403);
    const change = { method: 'PUT', body: { metadata: { labels: { by: 'eve' } }, spec: SPEC }, headers: dev() };
    const changed = await sendDescribed(port, at('/web'), change);
    expect(changed.code).toBe(200);
    expect(JSON.parse(changed.text)).toMatchObject({ metadata: { labels: { by: 'eve' } } });
    const deleted = await sendDescribed(port, at('/web'), {
      ...change,
      method: 'DELETE',
    });
    expect(deleted.code).toBe(403);
  });

  it.each<[string, () => string[]]>([
    ['as Kubernetes writes them', () => dev()],
    ['in capitals', () => dev().map((text, index) => (index % 2 === 0 ? text.toUpperCase() : text))],
    ['twice', () => [...dev(), ...dev()]],
    ['of an administrator', () => proxied({ username: 'system:admin', groups: ['system:masters'] })],
    ['with underscores', () => ['X_Remote_User', 'eve', 'X_Remote_Group', `${setting.namespace}-dev`]],
    ['of another scheme', () => ['Impersonate-User', 'eve', 'Impersonate-Group', 'system:masters']],
  ])('mean nothing from elsewhere: %s', async (_, headers) => {
    const { plain, tokens } = setting;
    expect((await sendDescribed(plain.port, at(), { headers: headers() })).code).toBe(401);
    // And they take nothing from, and add nothing to, whose token it is.
    expect((await sendDescribed(plain.port, at(), { headers: headers(), token: tokens.stranger })).code).toBe(403);
    expect((await sendDescribed(plain.port, at(), { headers: headers(), token: tokens.viewer })).code).toBe(200);
  });

  it.each<[string, () => string[], number]>([
    ['two users', () => [...proxied({ username: 'eve' }), ...proxied({ username: 'adam' })], 401],
    ['the group that may do everything', () => proxied({ username: 'eve', groups: ['system:masters'] }), 401],
    ['other headers', () => ['Impersonate-User', 'admin', ...proxied({ username: 'eve' })], 403],
  ])('are not believed with %s, although the address is trusted', async (_, headers, code) => {
    expect((await sendDescribed(setting.behindProxy.port, at(), { headers: headers() })).code).toBe(code);
  });

  it('of one who may list, and not get, name what he knows of', async () => {
    await web();
    const headers = proxied({ username: 'eve', groups: [`${setting.namespace}-lister`] });
    const path = at('/web');
    expect((await sendDescribed(setting.behindProxy.port, path, { headers })).code).toBe(403);
  });
});

describe('what is answered to a user', () => {
  it.each<[string, () => string, string]>([
    ['a list for the console', at, 'no-store'],
    ['an Application that is not there', () => at('/none'), 'no-store'],
    ['who he is', () => '/session', 'no-store'],
    ['of ours, which its browser asks about each time', () => '/api/v1/applications', 'private, no-cache'],
  ])('is kept by no cache on the way: %s', async (_, path, expected) => {
    const headers = { authorization: `Bearer ${setting.tokens.admin}` };
    const answer = await fetch(`http://127.0.0.1:${setting.plain.port}${path()}`, { headers });
    await answer.text();
    expect(answer.headers.get('cache-control')).toBe(expected);
  });
});

it.each([
  ['POST', '/session'],
  ['DELETE', '/session'],
  ['POST', '/session/one-time'],
])('of somebody whom nobody knows, no long body is read: %s %s', async (method, path) => {
  const headers = { 'x-fairlead-page': '1', 'content-type': 'application/json' };
  const body = JSON.stringify({ code: 'x'.repeat(2_000) });
  const { status } = await fetch(`http://127.0.0.1:${setting.plain.port}${path}`, { method, headers, body });
  expect(status).toBe(413);
});

describe('a token', () => {
  it.each<[string, (token: string) => string]>([
    ['that nobody knows', () => 'abc'],
    ['with another signature', (token) => `${token.slice(0, -8)}AAAAAAAA`],
    ['without a signature', (token) => `${token.split('.').slice(0, 2).join('.')}.`],
    [
      'that says itself that it has no signature',
      (token) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1] ?? ''}.`,
    ],
    ['of great length', () => 'a'.repeat(17_000)],
  ])('%s is not accepted (bug S1 of ks-devops)', async (_, forge) => {
    const { plain, tokens } = setting;
    const answer = await sendDescribed(plain.port, at(), { token: forge(tokens.admin) });
    expect(answer.code).toBe(401);
    expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', code: 401, reason: 'Unauthorized' });
  });
});
