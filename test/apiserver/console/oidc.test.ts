import { describe, expect, it } from '@jest/globals';
import { createHmac, createPublicKey } from 'node:crypto';
import { createOidc, type Oidc } from '#console/server/oidc.js';
import type { ClaimRules } from '#console/shared/oidc-claims.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { CLIENT_ID, signed, signingKey, startOidcServer, SUBJECT, type OidcServer } from '../../support/oidc-server.js';
import { eventually, useWorld } from '../../support/world.js';
import { account, grant, proxied, sendDescribed, startConsole, type Answer, type Console } from './harness.js';

const LIST = [{ apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['list', 'create'] }];
const COOLDOWN_MS = 200;

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly provider: OidcServer;
  readonly oidc: Oidc;
  readonly server: Console;
  /** Of a ServiceAccount that may list. */
  readonly token: string;
}

function oidcOf({ issuer, ca }: OidcServer, more: Partial<ClaimRules> = {}): Oidc {
  const rules = {
    ...{ issuer, usernameClaim: 'sub', usernamePrefix: undefined, groupsClaim: 'groups', groupsPrefix: '' },
    requiredClaims: new Map(),
    ...more,
  };
  const log = createLogger('silent');
  return createOidc({ rules, clientId: CLIENT_ID, signingAlgorithms: ['RS256'], ca, log, cooldownMs: COOLDOWN_MS });
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'oidc');
    const provider = await startOidcServer();
    const apiGroup = 'rbac.authorization.k8s.io';
    const group = { apiGroup, kind: 'Group', name: `${namespace}-dev` };
    await grant(kube, 'dev', { namespace, user: group, rules: LIST });
    const user = { apiGroup, kind: 'User', name: `${provider.issuer}#ada` };
    await grant(kube, 'ada', { namespace, user, rules: LIST });
    const { user: viewer, token } = await account(kube, namespace, 'viewer');
    await grant(kube, 'viewer', { namespace, user: viewer, rules: LIST });
    const oidc = oidcOf(provider);
    const trusted = ['127.0.0.1'];
    return {
      kube,
      namespace,
      provider,
      oidc,
      token,
      server: await startConsole(world, { kube, namespace, oidc, trusted }),
    };
  },
  async ({ kube, provider, oidc, server }) => {
    await server.stop();
    await oidc.close();
    await provider.stop();
    await kube.close();
  },
);

function list(token: string, headers: string[] = []): Promise<Answer> {
  const { server, namespace } = setting;
  return sendDescribed(server.port, `/api/v1/namespaces/${namespace}/applications`, { token, headers });
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** What a token of ada has. */
const ofAda = (): Record<string, unknown> => {
  const { issuer } = setting.provider;
  return { iss: issuer, aud: CLIENT_ID, sub: 'ada', exp: inSeconds(600), iat: inSeconds(0) };
};

describe('a token of the provider', () => {
  it('that the provider made names the user, with the rights of his groups', async () => {
    const { provider, namespace } = setting;
    expect((await list(await provider.token({ groups: [`${namespace}-dev`] }))).code).toBe(200);
    const stranger = await list(await provider.token({ groups: ['others'] }));
    expect(stranger.code).toBe(403);
    expect(stranger.text).toContain(`${provider.issuer}#${SUBJECT}`);
  });

  it('names the user to the API server, who admits what he writes', async () => {
    const { provider, server, namespace } = setting;
    const body = { metadata: { name: 'web' }, spec: {} };
    const path = `/api/v1/namespaces/${namespace}/applications?dryRun=All`;
    const sent = { method: 'POST', body, token: await signed(provider.key, { ...ofAda(), sub: 'eve' }) };
    const refused = await sendDescribed(server.port, path, sent);
    expect([refused.code, refused.text]).toEqual([403, expect.stringContaining(`${provider.issuer}#eve`)]);
  });

  it('counts without a key id, too', async () => {
    expect((await list(await signed(setting.provider.key, ofAda(), ''))).code).toBe(200);
  });

  it('makes nobody an administrator', async () => {
    expect((await list(await setting.provider.token({ groups: ['system:masters'] }))).code).toBe(403);
  });

  it.each<[string, Record<string, unknown>]>([
    ['is over', { exp: inSeconds(-60) }],
    ['never ends', { exp: undefined }],
    ['is of tomorrow', { nbf: inSeconds(86_400) }],
    ['is for another client', { aud: 'other' }],
    ['is for nobody', { aud: undefined }],
    ['names nobody', { sub: undefined }],
    ['is of another issuer', { iss: 'https://id.example.org' }],
  ])('that %s is not accepted', async (_, claims) => {
    expect((await list(await signed(setting.provider.key, { ...ofAda(), ...claims }))).code).toBe(401);
  });

  it('with one client of several is accepted', async () => {
    const token = await signed(setting.provider.key, { ...ofAda(), aud: ['other', CLIENT_ID] });
    expect((await list(token)).code).toBe(200);
  });

  it('that is changed, or not signed by the provider, is not accepted', async () => {
    const { provider } = setting;
    const good = await signed(provider.key, ofAda());
    const [header = '', payload = '', signature = ''] = good.split('.');
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { n = '', e = '' } = provider.key.jwk;
    const publicKey = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const confused = `${part({ alg: 'HS256', kid: provider.key.id })}.${payload}`;
    const tokens = [
      `${header}.${part({ ...ofAda(), sub: 'root' })}.${signature}`,
      `${part({ alg: 'none' })}.${payload}.`,
      `${part({ alg: 'NONE', kid: provider.key.id })}.${payload}.${signature}`,
      `${confused}.${createHmac('sha256', pem).update(confused).digest('base64url')}`,
      await signed(await signingKey(provider.key.id), ofAda()),
      await signed(provider.key, ofAda(), 'unknown'),
      `${good}${'A'.repeat(20_000)}`,
      `${header}.${payload}`,
      good.slice(0, -10),
    ];
    expect((await list(good)).code).toBe(200);
    for (const token of tokens) expect([token, (await list(token)).code]).toEqual([token, 401]);
  });

  it('stands behind a proxy that names the user, and beside those that the API server knows', async () => {
    const { provider, token } = setting;
    const good = await signed(provider.key, ofAda());
    expect((await list(good, proxied({ username: 'stranger' }))).code).toBe(403);
    expect((await list(token)).code).toBe(200);
  });
});

describe('keys of the provider', () => {
  it('are read when a token comes, once for many, and not for each that nobody knows', async () => {
    const { provider } = setting;
    const own = oidcOf(provider);
    const before = provider.keysAsked();
    const good = await signed(provider.key, ofAda());
    await Promise.all(Array.from({ length: 20 }, () => own.identify(good)));
    expect(provider.keysAsked() - before).toBe(1);
    const unknown = await signed(provider.key, ofAda(), 'unknown');
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => own.identify(unknown).catch((error: unknown) => error)),
    );
    expect(codes).toEqual(codes.map(() => expect.objectContaining({ code: 401 })));
    expect(provider.keysAsked() - before).toBeLessThanOrEqual(2);
    await own.close();
  });

  it('may be replaced', async () => {
    const { provider } = setting;
    const own = oidcOf(provider);
    await own.identify(await signed(provider.key, ofAda()));
    const next = await signingKey('next');
    provider.rotate(next);
    try {
      const token = await signed(next, ofAda());
      await eventually(async () => expect(await own.identify(token)).toMatchObject({ groups: [] }));
      await expect(own.identify(await signed(provider.key, ofAda()))).rejects.toMatchObject({ code: 401 });
    } finally {
      provider.rotate(provider.key);
      await own.close();
    }
  });

  it('that cannot be read say nothing of a token: 503, until the provider is back', async () => {
    const gone = await startOidcServer();
    const own = oidcOf(gone);
    const token = await signed(gone.key, { ...ofAda(), iss: gone.issuer });
    const known = oidcOf(gone);
    await known.identify(token);
    await gone.stop();
    await expect(own.identify(token)).rejects.toMatchObject({ code: 503 });
    expect(await known.identify(token)).toMatchObject({ username: `${gone.issuer}#ada` });
    const untrusted = oidcOf({ ...setting.provider, ca: gone.ca });
    await expect(untrusted.identify(await signed(setting.provider.key, ofAda()))).rejects.toMatchObject({ code: 503 });
    await Promise.all([own.close(), known.close(), untrusted.close()]);
  });

  it('of who says he is another issuer are not read', async () => {
    const { provider } = setting;
    const own = oidcOf({ ...provider, issuer: `${provider.issuer}/` });
    const token = await signed(provider.key, { ...ofAda(), iss: `${provider.issuer}/` });
    await expect(own.identify(token)).rejects.toMatchObject({ code: 503 });
    await own.close();
  });
});
