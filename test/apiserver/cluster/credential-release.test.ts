import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { configMapResource, secretResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { CLUSTER_LABEL, CREDENTIAL_RENEWAL_ANNOTATION, DRY_RUN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { applicationController } from '#controllers/application/setup.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { listAll } from '#runtime/client/kube.js';
import { PLAIN } from '../helmrelease/charts.js';
import { conditionOf, useHarness } from '../helmrelease/harness.js';
import { fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually, freshNamespace } from '../../support/world.js';

interface Secret extends KubeObject {
  readonly data?: Record<string, string>;
}

const BINDINGS: ResourceType = {
  ...{ group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'RoleBinding', plural: 'rolebindings' },
};

// Before the client is closed.
afterAll(async () => {
  await harness.host.delete(clusterGrantResource, { name: harness.namespace });
  await running.stop();
});

/** The embedded engine on a member that only the tokens of a ServiceAccount reach. */
const harness = useHarness('granted', { charts: { plain: PLAIN } });
let running: RunningControllers;
let fleet: string;
let secretName: string;

const account = (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'deployer', namespace: harness.namespace },
});

/** May do everything in the namespace of the release. */
async function createAccount(): Promise<void> {
  await harness.member.create(serviceAccountResource, account());
  const { name, namespace } = account().metadata;
  await harness.member.create(BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name, namespace },
    ...{ roleRef: { apiGroup: BINDINGS.group, kind: 'ClusterRole', name: 'admin' } },
    ...{ subjects: [{ kind: 'ServiceAccount', name, namespace }] },
  });
}

async function grant(): Promise<void> {
  const { namespace } = harness;
  await harness.host.create<ClusterGrant>(clusterGrantResource, {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'ClusterGrant',
    metadata: { name: namespace },
    spec: {
      clusters: { names: [{ kind: 'Secret', name: 'eu', namespace: fleet }] },
      namespaces: { names: [namespace] },
      targetNamespaces: ['*'],
      serviceAccount: { name: 'deployer', namespace },
    },
  });
}

async function kubeconfig(): Promise<string | undefined> {
  const secret = await harness.host.get<Secret>(secretResource, { name: secretName, namespace: harness.namespace });
  return secret?.data?.['value'];
}

function apply(color: string): Promise<void> {
  return harness.apply('web', { kubeConfig: { secretRef: { name: secretName } }, values: { color } });
}

async function colorOnMember(): Promise<string | undefined> {
  return (await harness.configMap('web'))?.data?.['color'];
}

beforeAll(async () => {
  const { host, world } = harness;
  fleet = await freshNamespace(host, 'fleet');
  secretName = credentialName({ apiGroup: '', kind: 'Secret', namespace: fleet, name: 'eu' });
  const value = (await readFile(world.members[0]!.kubeconfig)).toString('base64');
  const metadata = { name: 'eu', namespace: fleet, labels: { [CLUSTER_LABEL]: 'true' } };
  await host.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data: { value } } });
  await createAccount();
  const options = { controllerNamespace: 'fairlead-system' };
  running = runControllers({ kube: host }, [
    (context) => credentialControllers(context, options),
    (context) => applicationController(context, { ...options, allowCrossNamespace: true }),
  ]);
});

test('a release waits for its credential and is installed with it', async () => {
  await apply('red');
  await harness.until('web', (release) => {
    expect(conditionOf(release, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(secretName),
    });
  });
  await grant();
  await harness.untilReady('web');
  expect(await colorOnMember()).toBe('red');
});

test('a token is renewed under the release, and only the new one is used then', async () => {
  const { member, host, namespace } = harness;
  const before = await kubeconfig();
  // Ends every token of before: a ServiceAccount of another UID is another one.
  await member.delete(serviceAccountResource, account().metadata);
  await member.create(serviceAccountResource, account());
  const annotations = { [CREDENTIAL_RENEWAL_ANNOTATION]: '2026-01-01T00:00:00Z' };
  const body = { metadata: { annotations } };
  await host.patch(secretResource, { name: secretName, namespace }, { type: 'merge', body });
  await eventually(async () => {
    const now = await kubeconfig();
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
  });
  await apply('blue');
  await harness.untilReady('web');
  expect(await colorOnMember()).toBe('blue');
});

test('a grant that is taken back stops work and touches nothing, until it is given again', async () => {
  await harness.host.delete(clusterGrantResource, { name: harness.namespace });
  await eventually(async () => expect(await kubeconfig()).toBeUndefined());
  await apply('green');
  await harness.until('web', (release) => {
    expect(release.status?.observedGeneration).toBe(release.metadata.generation);
    expect(conditionOf(release, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(secretName),
    });
  });
  expect(await colorOnMember()).toBe('blue');
  await grant();
  await harness.untilReady('web');
  expect(await colorOnMember()).toBe('green');
});

async function putApplication(name: string, destination: object): Promise<void> {
  const { host, namespace } = harness;
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } };
  const deploy = [{ destination: { ...destination, targetNamespace: namespace } }];
  const helmRelease = { chart: { chart: 'plain', version: '1.0.0' }, deploy };
  const application: KubeObject & { spec: object } = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata: { name, namespace } },
    spec: { kind: 'fluxcd', fluxApp: { spec: { source, config: { helmRelease } } } },
  };
  await host.apply(applicationResource, application, { fieldManager: 'user', force: true });
}

async function statusOf(name: string): Promise<Application['status']> {
  const found = await harness.host.get<Application>(applicationResource, { name, namespace: harness.namespace });
  return found?.status;
}

test('wherever something is said of a grant that was taken back, it is which one, and what it gave', async () => {
  const { host, namespace, world } = harness;
  await putApplication('named', { clusterRef: { kind: 'Secret', name: 'eu', namespace: fleet } });
  await putApplication('selected', { clusterSelector: { matchLabels: { [CLUSTER_LABEL]: 'true' } } });
  for (const name of ['named', 'selected']) {
    await eventually(async () => expect((await statusOf(name))?.destinations?.[0]?.state).toBe('Ready'));
  }
  await host.delete(clusterGrantResource, { name: namespace });
  await eventually(async () => expect(await kubeconfig()).toBeUndefined());
  const by = `ClusterGrant ${namespace} as ServiceAccount ${namespace}/deployer`;
  const named = `Secret ${fleet}/eu is no longer granted to ${namespace}, as it was by ${by}`;
  const selected = `cluster ${fleet}/eu is no longer granted to ${namespace}, as it was by ${by}`;
  const rowOf = async (name: string) => (await statusOf(name))?.destinations?.[0]?.message;
  await eventually(async () => expect(await rowOf('named')).toContain(named));
  await eventually(async () => expect(await rowOf('selected')).toContain(selected));
  const ready = (await statusOf('named'))?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.message).toContain(named);

  const [child] = (await listAll<KubeObject>(host, helmReleaseResource, { namespace })).items.filter(({ metadata }) =>
    metadata.name.startsWith('selected'),
  );
  const requestedAt = { 'reconcile.fluxcd.io/requestedAt': 'now' };
  await host.patch(helmReleaseResource, child!.metadata, {
    type: 'merge',
    body: { metadata: { annotations: requestedAt } },
  });
  await harness.until(child!.metadata.name, (release) => {
    const message = conditionOf(release, 'Ready')?.message;
    expect(message).toContain(`namespace ${namespace} may not use it any more; it was given by ${by}`);
  });
  const flags = ['-n', namespace, '--kubeconfig', world.host.kubeconfig, '--helm-path', world.tools.helm];
  const terminal = fairleadAtTerminal(['explain', 'named', ...flags], { columns: 2_000 });
  expect(await terminal.exitCode).toBe(0);
  expect(screenOf(terminal.output()).join('\n')).toContain(named);

  const dryRun = { type: 'merge', body: { metadata: { annotations: { [DRY_RUN_ANNOTATION]: 'true' } } } } as const;
  for (const name of ['named', 'selected']) {
    await host.patch(applicationResource, { name, namespace }, dryRun);
    await eventually(async () =>
      expect(JSON.stringify((await statusOf(name))?.dryRun)).toContain(`as it was by ${by}`),
    );
    await host.patch(
      applicationResource,
      { name, namespace },
      {
        type: 'merge',
        body: { metadata: { annotations: { [DRY_RUN_ANNOTATION]: null } } },
      },
    );
  }
  await grant();
  for (const name of ['named', 'selected']) {
    await eventually(async () => expect((await statusOf(name))?.destinations?.[0]?.state).toBe('Ready'));
    await host.delete(applicationResource, { name, namespace });
    await eventually(async () => expect(await statusOf(name)).toBeUndefined());
  }
});

test('a release is uninstalled with its credential, which goes last', async () => {
  const { host, member, namespace } = harness;
  await host.delete(helmReleaseResource, { name: 'web', namespace });
  await eventually(async () => {
    expect(await host.get(secretResource, { name: secretName, namespace })).toBeUndefined();
  });
  expect(await member.get(configMapResource, { name: 'web', namespace })).toBeUndefined();
});
