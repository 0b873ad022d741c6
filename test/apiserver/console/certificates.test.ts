import { describe, expect, it } from '@jest/globals';
import { certificatesIn } from '#console/server/peers.js';
import type { Kube } from '#runtime/client/kube.js';
import { selfSignedCertificate, type Certificate } from '../../support/certificate.js';
import { fixture } from '../../support/fixture.js';
import { prepareCluster } from '../../support/harness.js';
import { useWorld } from '../../support/world.js';
import { account, BASE, grant, proxied, sendDescribed, startConsole, type Console } from './harness.js';

interface Setting {
  readonly kube: Kube;
  readonly namespace: string;
  readonly console: Console;
  readonly server: Certificate;
  /** Of ada, in the group that may list. */
  readonly ada: Certificate;
  readonly adaOnceMore: Certificate;
  readonly expired: Certificate;
  /** Of an authority for proxies, with a name that counts, and one that does not. */
  readonly front: Certificate;
  readonly other: Certificate;
  readonly token: string;
}

const setting = fixture<Setting>(
  async () => {
    const world = await useWorld();
    const { kube, namespace } = await prepareCluster(world.host, 'console-tls');
    const group = `${namespace}-dev`;
    const [ada, adaOnceMore] = [selfSignedCertificate('ada', group), selfSignedCertificate('ada', group)];
    const expired = selfSignedCertificate('old', group, { isExpired: true });
    const [front, other] = [selfSignedCertificate('front', 'proxies'), selfSignedCertificate('other', 'proxies')];
    const server = selfSignedCertificate('console', 'servers');
    const rules = [{ apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['list'] }];
    const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group };
    await grant(kube, 'dev', { namespace, user, rules });
    const viewer = await account(kube, namespace, 'viewer');
    await grant(kube, 'viewer', { namespace, user: viewer.user, rules });
    const clients = [ada, expired].map(({ cert }) => cert).join('');
    const proxies = [front, other].map(({ cert }) => cert).join('');
    const issuers = { clientIssuers: certificatesIn(clients), proxyIssuers: certificatesIn(proxies) };
    const trust = { ...issuers, proxyNames: ['front'] };
    const tls = { ...server, ca: [clients, proxies] };
    const console = await startConsole(world, { kube, namespace, trust, more: { tls } });
    return { kube, namespace, console, server, ada, adaOnceMore, expired, front, other, token: viewer.token };
  },
  async ({ kube, console }) => {
    await console.stop();
    await kube.close();
  },
);

type Named = 'ada' | 'adaOnceMore' | 'expired' | 'front' | 'other';

/** The answer to a list that ada's group may read. */
async function codeFor(who: Named | undefined, { headers = [] as string[], token = '' } = {}): Promise<number> {
  const { console, namespace, server } = setting;
  const tls = { ca: server.cert, ...(who === undefined ? {} : setting[who]) };
  const sent = { tls, headers, ...(token === '' ? {} : { token }) };
  return (await sendDescribed(console.port, `${BASE}/namespaces/${namespace}/applications`, sent)).code;
}

const dev = (): string[] => proxied({ username: 'eve', groups: [`${setting.namespace}-dev`] });
const stranger = (): string[] => proxied({ username: 'eve' });

describe('a client certificate', () => {
  it.each<[string, Named, number]>([
    ['of the authority for clients is the user that it names', 'ada', 200],
    ['with the same names of another authority is nobody', 'adaOnceMore', 401],
    ['that has expired is nobody', 'expired', 401],
    ['of a proxy is no user', 'front', 401],
  ])('%s', async (_, who, code) => expect(await codeFor(who)).toBe(code));

  it('makes nobody a proxy', async () => {
    expect(await codeFor('ada', { headers: stranger() })).toBe(200);
    expect(await codeFor('adaOnceMore', { headers: dev() })).toBe(401);
  });

  it('is not needed with a token', async () => {
    expect(await codeFor(undefined, { token: setting.token })).toBe(200);
    expect(await codeFor(undefined)).toBe(401);
    expect(await codeFor('adaOnceMore', { token: setting.token })).toBe(200);
  });
});

describe('the certificate of a proxy', () => {
  it('lets it say who the user is', async () => {
    expect(await codeFor('front', { headers: dev() })).toBe(200);
    expect(await codeFor('front', { headers: stranger() })).toBe(403);
  });

  it('means nothing with a name that does not count', async () => {
    expect(await codeFor('other', { headers: dev() })).toBe(401);
  });
});
