import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { podResource, secretResource, serviceAccountResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import { CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { isForEngine, readController } from '#cli/install/package.js';
import { madeSourceControllers } from '#controllers/application/made-sources.js';
import { applicationController } from '#controllers/application/setup.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import { credentialName } from '#controllers/cluster/model/credential-name.js';
import { templateControllers } from '#controllers/template/setup.js';
import type { Kube } from '#runtime/client/kube.js';
import { ExactRights } from '../../support/exact-rights.js';
import { prepareCluster, runControllers, type RunningControllers } from '../../support/harness.js';
import { eventually, freshNamespace, kubeFor, makeNamespace, useWorld } from '../../support/world.js';

let host: Kube;
let member: Kube;
let identity: Kube;
let rights: ExactRights;
let running: RunningControllers;
/** Of the controller, and of the cluster that is granted. */
let fleet: string;
let shop: string;

async function clusterOf(kubeconfig: string): Promise<void> {
  const metadata = { name: 'eu', namespace: fleet, labels: { [CLUSTER_LABEL]: 'true' } };
  const data = { value: (await readFile(kubeconfig)).toString('base64') };
  await host.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata, ...{ data } });
}

beforeAll(async () => {
  const world = await useWorld();
  ({ kube: host, namespace: shop } = await prepareCluster(world.host, 'rights-shop'));
  fleet = await freshNamespace(host, 'rights-fleet');
  member = await kubeFor(world.members[0]!);
  await makeNamespace(member, shop);
  const deployer = { name: 'deployer', namespace: shop };
  await member.create(serviceAccountResource, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: deployer });
  await clusterOf(world.members[0]!.kubeconfig);
  await host.create<ClusterGrant>(clusterGrantResource, {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'ClusterGrant', metadata: { name: shop } },
    spec: {
      clusters: { names: [{ kind: 'Secret', name: 'eu', namespace: fleet }] },
      namespaces: { names: [shop] },
      targetNamespaces: ['*'],
      serviceAccount: deployer,
    },
  });
  rights = new ExactRights(host);
  // What config/external installs.
  identity = await rights.clientOf(
    fleet,
    (await readController()).filter((object) => !isForEngine(object)),
  );
  const options = { controllerNamespace: fleet, allowCrossNamespace: true, isEngineExternal: true };
  running = runControllers({ kube: identity }, [
    (context) => credentialControllers(context, options),
    (context) => applicationController(context, options),
    (context) => madeSourceControllers(context, options),
    (context) => templateControllers(context, options),
  ]);
});
afterAll(async () => {
  await running.stop();
  await host.delete(clusterGrantResource, { name: shop });
  await rights.revoke();
  await Promise.all([identity.close(), member.close(), host.close()]);
});

const SOURCE = { inline: { repo: 'https://charts.example.com', chart: 'web', version: '1.0.0' } };

async function putApplication(name: string, source: object, more: { labels?: object; helmRelease: object }) {
  const { labels, helmRelease } = more;
  const application = {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' },
    metadata: { name, namespace: shop, ...(labels && { labels }) },
    spec: { kind: 'fluxcd', fluxApp: { spec: { source, config: { helmRelease } } } },
  };
  // Labels are texts.
  await host.apply(applicationResource, application as KubeObject, { fieldManager: 'user', force: true });
}

function deploy(color: string): object {
  const destination = { clusterRef: { kind: 'Secret', name: 'eu', namespace: fleet }, targetNamespace: shop };
  return { deploy: [{ name: 'eu', destination, values: { color } }] };
}

async function only<T extends KubeObject>(type: ResourceType): Promise<T> {
  const { items } = await host.list<T>(type, { namespace: shop });
  expect(items).toHaveLength(1);
  return items[0]!;
}

interface Release extends KubeObject {
  spec: { kubeConfig?: object; values?: object };
}

test('without the embedded engine, an Application with a grant needs the generated roles, and they have no other right', async () => {
  await expect(identity.list(podResource, { namespace: shop })).rejects.toThrow(/cannot list resource "pods"/);
  await putApplication('web', SOURCE, { helmRelease: deploy('red') });
  const name = credentialName({ apiGroup: '', kind: 'Secret', namespace: fleet, name: 'eu' });
  await eventually(async () => {
    const { spec } = await only<Release>(helmReleaseResource);
    expect(spec).toMatchObject({ kubeConfig: { secretRef: { name } }, values: { color: 'red' } });
    await only(helmRepositoryResource);
    expect(await host.get(secretResource, { name, namespace: shop })).toBeDefined();
  });
  await putApplication('web', SOURCE, { helmRelease: deploy('blue') });
  await eventually(async () => {
    expect((await only<Release>(helmReleaseResource)).spec.values).toEqual({ color: 'blue' });
    const application = await host.get<Application>(applicationResource, { name: 'web', namespace: shop });
    expect(application?.status?.destinations).toHaveLength(1);
    const grant = await host.get<ClusterGrant>(clusterGrantResource, { name: shop });
    expect(grant?.status?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'True' });
  });
  await host.delete(applicationResource, { name: 'web', namespace: shop });
  await eventually(async () => {
    for (const type of [applicationResource, helmReleaseResource, helmRepositoryResource]) {
      expect((await host.list(type, { namespace: shop })).items).toEqual([]);
    }
    expect(await host.get(secretResource, { name, namespace: shop })).toBeUndefined();
  });
});

test('so does an Application that is saved as a template', async () => {
  const labels = { 'gitops.kubesphere.io/save-helmtemplate': 'true' };
  const helmRelease = { chart: { chart: 'web', version: '1.0.0' }, ...deploy('red') };
  await putApplication(
    'saved',
    { sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: shop } },
    { labels, helmRelease },
  );
  await eventually(async () => {
    const { status } = await only<KubeObject & { status?: { conditions?: object[] } }>(helmTemplateResource);
    expect(status?.conditions).toBeDefined();
  });
});
