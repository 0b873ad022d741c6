import { describe, expect, test } from '@jest/globals';
import { generateKeyPairSync } from 'node:crypto';
import {
  githubAppIn,
  installationIdIn,
  installationUrls,
  isFresh,
  signedPart,
  tokenIn,
  tokenKey,
  tokenUrl,
  type GitHubApp,
} from '#controllers/source/git/model/github-app.js';
import { rsaKeyOf } from '../../../support/rsa-key.js';

const PEM = rsaKeyOf({}, 2048);
const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' });
const KEYS = { githubAppID: '7\n', githubAppInstallationID: '42', githubAppPrivateKey: PEM };
const APP: GitHubApp = { id: '7', installation: { id: '42' }, privateKey: PEM, baseUrl: 'https://api.github.com' };

function read(keys: Readonly<Record<string, string | undefined>>): GitHubApp | { readonly problem: string } {
  const all: Readonly<Record<string, string | undefined>> = { ...KEYS, ...keys };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return githubAppIn(new Map(given));
}

describe('a Secret of a GitHub App', () => {
  test('names an installation', () => expect(read({})).toEqual(APP));

  test('names the owner of an installation', () => {
    const owned = read({ githubAppInstallationID: undefined, githubAppInstallationOwner: 'org' });
    expect(owned).toEqual({ ...APP, installation: { owner: 'org' } });
  });

  test('names another server', () => {
    expect(read({ githubAppBaseURL: 'https://git.example/api/v3/\n' })).toEqual({
      ...APP,
      baseUrl: 'https://git.example/api/v3',
    });
  });

  test.each<[string, Record<string, string | undefined>]>([
    ['githubAppID', { githubAppID: undefined }],
    ['githubAppID', { githubAppID: '7/../8' }],
    ['githubAppInstallationID', { githubAppInstallationID: '../../user' }],
    ['githubAppInstallationID', { githubAppInstallationID: undefined }],
    ['githubAppInstallationOwner', { githubAppInstallationOwner: 'org' }],
    ['githubAppInstallationOwner', { githubAppInstallationID: undefined, githubAppInstallationOwner: '../x' }],
    ['githubAppPrivateKey', { githubAppPrivateKey: undefined }],
    ['githubAppPrivateKey', { githubAppPrivateKey: rsaKeyOf({}, 256) }],
    ['githubAppPrivateKey', { githubAppPrivateKey: rsaKeyOf({}, 16_384) }],
    ['githubAppPrivateKey', { githubAppPrivateKey: EC_KEY.toString() }],
    ['githubAppBaseURL', { githubAppBaseURL: 'http://git.example' }],
    ['githubAppBaseURL', { githubAppBaseURL: 'https://user:secret@git.example' }],
    ['githubAppBaseURL', { githubAppBaseURL: 'nonsense' }],
  ])('is refused for its key %s', (key, keys) => {
    expect(read(keys)).toEqual({ problem: expect.stringContaining(key) });
    expect(JSON.stringify(read(keys))).not.toContain('secret');
  });
});

test('an app signs who it is, for two minutes', () => {
  const parts = signedPart(APP, 1_000_000_999).split('.');
  const [header, claims] = parts.map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown);
  expect(header).toEqual({ alg: 'RS256', typ: 'JWT' });
  expect(claims).toEqual({ iss: '7', iat: 999_970, exp: 1_000_090 });
});

test('tokens are asked for at the API', () => {
  expect(tokenUrl('https://h/api/v3', '42')).toBe('https://h/api/v3/app/installations/42/access_tokens');
  expect(installationUrls('https://h', 'org')).toEqual([
    'https://h/orgs/org/installation',
    'https://h/users/org/installation',
  ]);
});

test('another key, app, installation or server has another token', () => {
  const others = [{ id: '8' }, { installation: { id: '43' } }, { privateKey: 'OTHER' }, { baseUrl: 'https://h' }];
  const keys = [APP, ...others.map((other) => ({ ...APP, ...other }))].map(tokenKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.join()).not.toContain('PRIVATE KEY');
});

test.each<[string, unknown, unknown]>([
  ['a token', { token: 'ghs_1', expires_at: '1970-01-01T01:00:00Z' }, { token: 'ghs_1', expiresAtMs: 3_600_000 }],
  ['none', {}, undefined],
  ['one that never ends', { token: 'ghs_1' }, undefined],
  ['one with a line break', { token: 'ghs\n1', expires_at: '1970-01-01T01:00:00Z' }, undefined],
  ['one with a wrong time', { token: 'ghs_1', expires_at: 'soon' }, undefined],
  ['a text', 'ghs_1', undefined],
  ['null', null, undefined],
])('an answer has %s', (_title, answer, token) => expect(tokenIn(answer)).toEqual(token));

test.each([
  [{ id: 42 }, '42'],
  [{ id: '../x' }, undefined],
  [null, undefined],
])('%j is the installation %s', (answer, id) => expect(installationIdIn(answer)).toBe(id));

test('a token is not used near its end', () => {
  const token = { token: 'x', expiresAtMs: 3_600_000 };
  expect([0, 2_900_000, 3_000_000, 4_000_000].map((now) => isFresh(token, now))).toEqual([true, true, false, false]);
});
