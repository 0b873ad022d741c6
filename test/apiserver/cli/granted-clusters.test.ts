import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { kubectl } from '#bench/scenarios/shell.js';
import { secretResource } from '#api/core.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import {
  CLUSTER_LABEL,
  CREDENTIAL_BASIS_ANNOTATION,
  CREDENTIAL_CLUSTER_ANNOTATION,
  CREDENTIAL_GRANT_ANNOTATION,
  CREDENTIAL_LABEL,
} from '#api/v1alpha1/labels.js';
import { clusterIdText, type ClusterId } from '#controllers/cluster/model/cluster.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { prepareCluster } from '../../support/harness.js';
import { limitedUser } from '../../support/limited-user.js';
import { fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { freshNamespace, useWorld } from '../../support/world.js';

const GOLDEN = 'test/apiserver/cli/granted-clusters.golden';

let world: World;
let kube: Kube;
/** Of the tenant, of the platform team, and of somebody else. */
let [shop, fleet, other] = ['', '', ''];
let grantNames: string[];

async function putSecret(namespace: string, name: string, labels: object, annotations: object = {}): Promise<void> {
  const metadata = { namespace, name, labels: { ...labels }, annotations: { ...annotations } };
  await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
}

function idOf(name: string, namespace = fleet): ClusterId {
  return { apiGroup: '', kind: 'Secret', namespace, name };
}

/** As the controller makes it once a release refers to it. */
async function putCredential(name: string, grant: string | undefined): Promise<void> {
  const annotations = {
    [CREDENTIAL_CLUSTER_ANNOTATION]: clusterIdText(idOf(name)),
    [CREDENTIAL_GRANT_ANNOTATION]: grant ?? 'earlier',
    ...(grant === undefined ? {} : { [CREDENTIAL_BASIS_ANNOTATION]: 'a' }),
  };
  await putSecret(shop, credentialName(idOf(name)), { [CREDENTIAL_LABEL]: 'true' }, annotations);
}

async function grant(name: string, spec: Pick<ClusterGrant['spec'], 'clusters' | 'namespaces'>): Promise<void> {
  const rest = { targetNamespaces: ['*'], credential: 'SharedCredential' as const };
  const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'ClusterGrant', metadata: { name } };
  await kube.create<ClusterGrant>(clusterGrantResource, { ...object, spec: { ...rest, ...spec } });
}

beforeAll(async () => {
  world = await useWorld();
  ({ kube, namespace: shop } = await prepareCluster(world.host, 'tenant'));
  fleet = await freshNamespace(kube, 'fleet');
  other = await freshNamespace(kube, 'other');
  grantNames = [`${shop}-edge`, `${shop}-named`, `${shop}-theirs`];
  const [edge = '', named = '', theirs = ''] = grantNames;
  await putSecret(shop, 'own', { [CLUSTER_LABEL]: 'true' });
  const tiers = { 'eu-west': 'edge', 'us-east': 'edge', 'us-west': 'core', 'ap-south': 'core', secret: 'core' };
  for (const [name, tier] of Object.entries(tiers)) await putSecret(fleet, name, { [CLUSTER_LABEL]: 'true', tier });
  const namespaces = { names: [shop] };
  await grant(edge, { clusters: { selector: { matchLabels: { tier: 'edge' } }, namespaces: [fleet] }, namespaces });
  const names = ['us-west', 'gone'].map((name) => ({ kind: 'Secret' as const, namespace: fleet, name }));
  await grant(named, { clusters: { names }, namespaces });
  const secret = { kind: 'Secret' as const, namespace: fleet, name: 'secret' };
  await grant(theirs, { clusters: { names: [secret] }, namespaces: { names: [other] } });
  await putCredential('eu-west', edge);
  await putCredential('us-west', named);
  // Was granted once.
  await putCredential('ap-south', undefined);
});

afterAll(async () => {
  for (const name of grantNames) await kube.delete(clusterGrantResource, { name });
  for (const kind of ['clusterrolebinding', 'clusterrole']) {
    await kubectl(world, world.host, 'delete', kind, `${shop}-reader`, '--ignore-not-found');
  }
  await kube.close();
});

async function screenAs(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const flags = ['-n', shop, '--kubeconfig', kubeconfig, ...args];
  const terminal = fairleadAtTerminal(['clusters', ...flags], { columns: 160 });
  const code = await terminal.exitCode;
  const text = screenOf(terminal.output()).join('\n');
  expect({ code, text }).toMatchObject({ code: 0 });
  return text.replaceAll(shop, 'shop').replaceAll(fleet, 'fleet').replaceAll(other, 'other');
}

/** UPDATE_GOLDEN=1 rewrites it. Widths depend on the names of the namespaces, so they are not compared. */
test('a tenant sees the clusters of other namespaces that are granted, as far as he may read', async () => {
  const readable = ['helmreleases.helm.toolkit.fluxcd.io', 'kustomizations.kustomize.toolkit.fluxcd.io', 'secrets'];
  const tenant = await limitedUser(world, shop, { name: 'tenant', list: readable });
  const reader = await limitedUser(world, shop, { name: 'reader', list: readable });
  const role = `${shop}-reader`;
  const resource = '--resource=clustergrants.gitops.kubesphere.io';
  await kubectl(world, world.host, 'create', 'clusterrole', role, '--verb=list', resource);
  const account = `--serviceaccount=${shop}:reader`;
  await kubectl(world, world.host, 'create', 'clusterrolebinding', role, `--clusterrole=${role}`, account);
  const screens = {
    'an administrator': await screenAs(world.host.kubeconfig, '--show-labels'),
    'who may list ClusterGrants': await screenAs(reader),
    'who may list what is in the namespace': await screenAs(tenant),
  };
  const all = Object.entries(screens).map(([title, screen]) => `== ${title}\n\n${screen}\n`);
  const text = all.join('\n').replaceAll(/ {2,}/g, '  ');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, text);
  expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
  expect(text).not.toMatch(/ secret |ap-south/);
});
