import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { configMapResource, namespaceResource, secretResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { clusterGrantResource, type ClusterGrant, type ClusterGrantSpec } from '#api/v1alpha1/cluster-grant.js';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_LABEL,
  CREDENTIAL_LABEL,
  CREDENTIAL_RENEWAL_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { printKubeconfig } from '#controllers/cluster/credential/issue.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { readKubeconfig } from '#engine/member/kubeconfig.js';
import type { Member } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import type { ClusterCredential } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { conditionOf, prepareCluster, runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually, freshNamespace, kubeFor, makeNamespace, useWorld } from '../../support/world.js';

interface Secret extends KubeObject {
  readonly data?: Record<string, string>;
}

interface TokenRequest extends KubeObject {
  readonly spec: object;
  readonly status?: { readonly token: string };
}

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true };
const ROLES: ResourceType = { ...RBAC, kind: 'Role', plural: 'roles' };
const BINDINGS: ResourceType = { ...RBAC, kind: 'RoleBinding', plural: 'rolebindings' };
const rules = { allowInsecure: false };

let world: World;
let host: Kube;
let target: Kube;
/** Where clusters are described; the namespace of the controller. */
let fleet: string;
/** Of a tenant; also the namespace on the cluster that is granted. */
let shop: string;
let running: RunningControllers;

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The name of the Secret for the cluster that a Secret in `fleet` describes. */
function nameOf(cluster: string): string {
  return credentialName({ apiGroup: '', kind: 'Secret', namespace: fleet, name: cluster });
}

/** Describes the first member, or another one, as a cluster. */
async function describeCluster(name: string, index = 0): Promise<void> {
  await describeBy(name, await readFile(world.members[index]!.kubeconfig, 'utf8'));
}

async function describeBy(name: string, kubeconfig: string): Promise<void> {
  const value = base64(kubeconfig);
  const metadata = { name, namespace: fleet, labels: { [CLUSTER_LABEL]: 'true', tier: 'edge' } };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data: { value } } as KubeObject;
  await host.apply(secretResource, secret, { fieldManager: 'test', force: true });
}

/** Something that refers to a Secret; no engine reconciles it here. */
async function refer(name: string, secret: string): Promise<void> {
  const kubeConfig = { secretRef: { name: secret } };
  const chart = { spec: { chart: 'web', sourceRef: { kind: 'HelmRepository', name: 'charts' } } };
  await host.create(helmReleaseResource, {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name, namespace: shop },
    ...{ spec: { interval: '10m', chart, kubeConfig } },
  });
}

/** Grants clusters of `fleet` to the namespace `shop`. */
async function grant(name: string, cluster: string, more: Partial<ClusterGrantSpec> = {}): Promise<void> {
  const spec: ClusterGrantSpec = {
    clusters: { names: [{ kind: 'Secret', name: cluster, namespace: fleet }] },
    namespaces: { names: [shop] },
    targetNamespaces: [shop],
    ...(more.credential === undefined ? { serviceAccount: { name: 'deployer', namespace: shop } } : {}),
    ...more,
  };
  await host.create<ClusterGrant>(clusterGrantResource, {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'ClusterGrant',
    metadata: { name: `${shop}-${name}` },
    spec,
  });
}

const takeBack = (name: string): Promise<boolean> => host.delete(clusterGrantResource, { name: `${shop}-${name}` });

function untilGrant(name: string, check: (grant: ClusterGrant) => void): Promise<void> {
  return eventually(async () => {
    const found = await host.get<ClusterGrant>(clusterGrantResource, { name: `${shop}-${name}` });
    if (found === undefined) throw new Error(`no grant ${name}`);
    check(found);
  });
}

async function credentialIn(name: string): Promise<ClusterCredential> {
  const secret = await host.get<Secret>(secretResource, { name, namespace: shop });
  const value = secret?.data?.['value'];
  if (value === undefined) throw new Error(`no kubeconfig in ${name}`);
  return readKubeconfig(Buffer.from(value, 'base64').toString('utf8'), rules);
}

/** As an engine does it: the Secret is read at every call. */
async function withMember<T>(name: string, use: (member: Member) => Promise<T>): Promise<T> {
  const members = createMembers({ host });
  try {
    return await use(await members.get({ secretRef: { name } }, shop));
  } finally {
    await members.close();
  }
}

function putMap({ kube }: Member, namespace: string, name: string): Promise<KubeObject> {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
  return kube.apply(configMapResource, object, { fieldManager: 'test' });
}

function account(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: shop } };
}

/** A ServiceAccount of the cluster, without permissions. */
async function createAccount(name: string): Promise<void> {
  await target.create(serviceAccountResource, account(name));
}

/** Lets it write ConfigMaps in the namespace of the tenant. */
async function createRole(name: string): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name, namespace: shop };
  const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] };
  await target.create(ROLES, { apiVersion, kind: 'Role', metadata, ...{ rules: [rule] } });
  const roleRef = { apiGroup: RBAC.group, kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: shop }];
  await target.create(BINDINGS, { apiVersion, kind: 'RoleBinding', metadata, ...{ roleRef, subjects } });
}

beforeAll(async () => {
  world = await useWorld();
  ({ kube: host, namespace: shop } = await prepareCluster(world.host, 'shop'));
  fleet = await freshNamespace(host, 'fleet');
  target = await kubeFor(world.members[0]!);
  await makeNamespace(target, shop);
  await createAccount('deployer');
  await createRole('deployer');
  running = runControllers({ kube: host }, [
    (context) => credentialControllers(context, { controllerNamespace: fleet }),
  ]);
});

afterAll(async () => {
  await running.stop();
  const { items } = await host.list<ClusterGrant>(clusterGrantResource);
  const own = items.filter(({ metadata }) => metadata.name.startsWith(shop));
  for (const { metadata } of own) await host.delete(clusterGrantResource, metadata);
  await target.close();
  await host.close();
});

describe('a cluster of another namespace', () => {
  beforeAll(async () => {
    await describeCluster('eu');
    await refer('web', nameOf('eu'));
    await grant('eu', 'eu');
  });

  test('is reached with exactly the permissions of the ServiceAccount', async () => {
    await eventually(() => credentialIn(nameOf('eu')));
    const { token, cert, password } = await credentialIn(nameOf('eu'));
    expect([typeof token, cert, password]).toEqual(['string', undefined, undefined]);
    await withMember(nameOf('eu'), async (member) => {
      await putMap(member, shop, 'granted');
      await expect(putMap(member, 'default', 'denied')).rejects.toMatchObject({ status: { code: 403 } });
    });
    await untilGrant('eu', (found) => {
      expect(conditionOf(found, 'Ready')).toMatchObject({ status: 'True', reason: 'Granted' });
      expect(found.status).toMatchObject({ clusterCount: 1, namespaceCount: 1, clusters: [`Secret ${fleet}/eu`] });
    });
  });

  test('gets another token before the end of the old one, and what refers to it does not change', async () => {
    const ref = { name: 'web', namespace: shop };
    const before = await host.get(helmReleaseResource, ref);
    const { token: old } = await credentialIn(nameOf('eu'));
    const annotations = { [CREDENTIAL_RENEWAL_ANNOTATION]: '2026-01-01T00:00:00Z' };
    const place = { name: nameOf('eu'), namespace: shop };
    await host.patch(secretResource, place, { type: 'merge', body: { metadata: { annotations } } });
    await eventually(async () => expect((await credentialIn(nameOf('eu'))).token).not.toBe(old));
    await withMember(nameOf('eu'), (member) => putMap(member, shop, 'renewed'));
    const renewed = await host.get(secretResource, place);
    expect(Date.parse(renewed?.metadata.annotations?.[CREDENTIAL_RENEWAL_ANNOTATION] ?? '')).toBeGreaterThan(
      Date.now(),
    );
    expect((await host.get(helmReleaseResource, ref))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });

  test('is out of reach once the grant is taken back, even if its Secret is immutable, and within reach when it is given again', async () => {
    const place = { name: nameOf('eu'), namespace: shop };
    await host.patch(secretResource, place, { type: 'merge', body: { immutable: true } });
    await takeBack('eu');
    const revoked = await eventually(async () => {
      // One that is immutable is deleted and made anew: for a moment, there is none.
      const secret = await host.get<Secret>(secretResource, place);
      expect(secret).toBeDefined();
      expect(secret?.data?.['value']).toBeUndefined();
      return secret;
    });
    expect(revoked?.metadata.labels?.[CREDENTIAL_LABEL]).toBe('true');
    expect(await target.get(configMapResource, { name: 'granted', namespace: shop })).toBeDefined();
    await grant('eu', 'eu');
    await eventually(() => credentialIn(nameOf('eu')));
  });

  test('keeps its kubeconfig when it is gone, until it is taken back, and its Secret until nothing refers to it', async () => {
    const place = { name: nameOf('eu'), namespace: shop };
    await host.delete(secretResource, { name: 'eu', namespace: fleet });
    await untilGrant('eu', (found) => expect(found.status?.clusterCount).toBe(0));
    await credentialIn(nameOf('eu'));
    await takeBack('eu');
    await eventually(async () => {
      const secret = await host.get<Secret>(secretResource, place);
      expect(secret).toBeDefined();
      expect(secret?.data?.['value']).toBeUndefined();
    });
    await host.delete(helmReleaseResource, { name: 'web', namespace: shop });
    await eventually(async () => expect(await host.get(secretResource, place)).toBeUndefined());
  });
});

describe('the credential of the inventory itself', () => {
  test('is handed out by its word only, and that of another cluster does not take its place', async () => {
    await describeCluster('us');
    await refer('shared', nameOf('us'));
    await grant('us', 'us', { credential: 'SharedCredential' });
    await untilGrant('us', (found) => expect(conditionOf(found, 'Stalled')).toBeUndefined());
    const own = await eventually(() => credentialIn(nameOf('us')));
    expect(own.server).toBe(world.members[0]!.server);
    // It turns into the credential of another cluster, where everything would be deployed, too.
    await describeCluster('us', 1);
    await untilGrant('us', (found) => {
      expect(conditionOf(found, 'Ready')?.message).toMatch(
        /leads to another cluster: the UID of namespace kube-system/,
      );
    });
    expect((await credentialIn(nameOf('us'))).server).toBe(world.members[0]!.server);
    const body = { metadata: { annotations: { [CLUSTER_UID_ANNOTATION]: null } } };
    await host.patch(secretResource, { name: nameOf('us'), namespace: shop }, { type: 'merge', body });
    await eventually(async () => expect((await credentialIn(nameOf('us'))).server).toBe(world.members[1]!.server));
  });

  test('may become that of another cluster by the word of who describes the cluster', async () => {
    await describeCluster('us', 0);
    await untilGrant('us', (found) => {
      const message = conditionOf(found, 'Ready')?.message ?? '';
      expect(message).toMatch(
        /set the annotation gitops.kubesphere.io\/accept-cluster-uid of the cluster to [-0-9a-f]+/,
      );
    });
    const member = await kubeFor(world.members[0]!);
    const { uid = '' } = (await member.get(namespaceResource, { name: 'kube-system' }))?.metadata ?? {};
    await member.close();
    const body = { metadata: { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: uid } } };
    await host.patch(secretResource, { name: 'us', namespace: fleet }, { type: 'merge', body });
    await eventually(async () => expect((await credentialIn(nameOf('us'))).server).toBe(world.members[0]!.server));
    await untilGrant('us', (found) => expect(conditionOf(found, 'Stalled')).toBeUndefined());
  });
});

describe('a Secret that somebody else made', () => {
  test('is not overwritten, and the grant says so, until it is gone', async () => {
    await describeCluster('ap');
    const metadata = { name: nameOf('ap'), namespace: shop, labels: { [CREDENTIAL_LABEL]: 'true' } };
    await host.create(secretResource, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      ...{ data: { value: base64('mine') } },
    });
    await refer('foreign', nameOf('ap'));
    await grant('ap', 'ap');
    await untilGrant('ap', (found) => {
      const ready = conditionOf(found, 'Ready');
      expect(ready).toMatchObject({ status: 'False', reason: 'CredentialFailed' });
      expect(ready?.message).toMatch(
        new RegExp(`Secret ${fleet}/ap for namespace ${shop} .*Fairlead did not create it`),
      );
    });
    const kept = await host.get<Secret>(secretResource, metadata);
    expect(kept?.data?.['value']).toBe(base64('mine'));
    await host.delete(secretResource, metadata);
    await eventually(() => credentialIn(nameOf('ap')));
    await untilGrant('ap', (found) => expect(conditionOf(found, 'Ready')?.status).toBe('True'));
  });
});

describe('what a tenant refers to', () => {
  test('is not made without a grant for it, nor for a cluster that the tenant labelled', async () => {
    await describeCluster('secret');
    await refer('not-granted', nameOf('secret'));
    // Chosen by the labels of clusters of the controller's namespace only.
    await grant('edge', 'none', { clusters: { selector: { matchLabels: { tier: 'fake' } } } });
    const labels = { [CLUSTER_LABEL]: 'true', tier: 'fake' };
    const fake = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'fake', namespace: shop, labels } };
    await host.create(secretResource, fake);
    await untilGrant('edge', (found) => expect(found.status).toMatchObject({ clusterCount: 0, namespaceCount: 1 }));
    expect(await host.get(secretResource, { name: nameOf('secret'), namespace: shop })).toBeUndefined();
  });
});

describe('a token that is not given', () => {
  test('because the credential of the inventory may not request it, or nobody answers, is a reason of the grant', async () => {
    const config = await readFile(world.members[0]!.kubeconfig, 'utf8');
    await describeBy('silent', config.replace(world.members[0]!.server, 'https://127.0.0.1:1'));
    await createAccount('weak');
    const { status } = await target.create<TokenRequest>(
      serviceAccountResource,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: account('weak').metadata, spec: {} },
      { subresource: 'token' },
    );
    const { ca } = readKubeconfig(config, rules);
    await describeBy('weak', printKubeconfig({ server: world.members[0]!.server, ca: ca!, token: status!.token }));
    for (const [name, cause] of [
      ['silent', /cannot create ServiceAccount/],
      ['weak', /may not request tokens of ServiceAccount .*: allow it to create serviceaccounts\/token/],
    ] as const) {
      await refer(name, nameOf(name));
      await grant(name, name);
      await untilGrant(name, (found) => {
        const ready = conditionOf(found, 'Ready');
        expect(ready).toMatchObject({ status: 'False', reason: 'CredentialFailed' });
        expect(ready?.message).toMatch(cause);
        expect(ready?.message).toContain(`Secret ${fleet}/${name} for namespace ${shop}`);
      });
    }
  });
});

describe('a ServiceAccount that the cluster does not have', () => {
  test('is named by the grant, and its token requested until there is one', async () => {
    await describeCluster('new');
    await refer('early', nameOf('new'));
    await grant('new', 'new', { serviceAccount: { name: 'later', namespace: shop } });
    await untilGrant('new', (found) => {
      expect(conditionOf(found, 'Ready')?.message).toMatch(/ServiceAccount .*\/later does not exist on the cluster/);
    });
    await createAccount('later');
    await eventually(() => credentialIn(nameOf('new')));
    await untilGrant('new', (found) => expect(conditionOf(found, 'Ready')?.status).toBe('True'));
  });
});
