import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import { swapKubeconfig } from '../../support/kubeconfig-secret.js';
import { kubeFor, makeNamespace } from '../../support/world.js';
import { conditionOf, configMap, createHarness, KUBECONFIG_SECRET, type Harness } from './harness.js';

let harness: Harness;
/** Another cluster, with an object of the very name and owner. */
let other: Kube;
let kubeconfigs: { readonly right: string; readonly wrong: string };

beforeAll(async () => {
  harness = await createHarness('replaced');
  const [home, second] = harness.world.members;
  if (home === undefined || second === undefined) throw new Error('the world has fewer than two members');
  kubeconfigs = { right: home.kubeconfig, wrong: second.kubeconfig };
  other = await kubeFor(second);
  await makeNamespace(other, harness.namespace);
});

afterAll(async () => {
  await other.close();
  await harness.close();
});

test('a kubeconfig that leads to another cluster neither applies nor deletes there', async () => {
  const { host, member, namespace } = harness;
  const secret = { name: KUBECONFIG_SECRET, namespace };
  const kubeConfig = { secretRef: { name: KUBECONFIG_SECRET } };
  await harness.publish('home', { 'a.yaml': configMap('there', { n: '1' }) });
  const uid = (await member.get(namespaceResource, { name: 'kube-system' }))?.metadata.uid ?? '';
  await harness.apply('home', { kubeConfig }, { [CLUSTER_UID_ANNOTATION]: uid });
  await harness.untilReady('home');
  const { labels = {} } = (await harness.configMap('there', member))?.metadata ?? {};
  const namesake = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there', namespace, labels } };
  const before = await other.apply(configMapResource, namesake, { fieldManager: 'kustomize-controller', force: true });

  await swapKubeconfig(host, secret, kubeconfigs.wrong);
  await harness.publish('home', { 'a.yaml': configMap('there', { n: '2' }) });
  expect(await harness.untilNotReady('home', 'ClusterReplaced')).toContain(`instead of ${uid}; `);
  await host.delete(kustomizationResource, { name: 'home', namespace });
  await harness.until('home', (kustomization) => {
    const message = conditionOf(kustomization, 'Ready')?.message;
    expect(message).toMatch(/^cannot delete the objects: .* leads to another cluster .*Orphan$/);
  });
  expect(await other.get(configMapResource, namesake.metadata)).toEqual(before);
  expect(await harness.configMap('there', member)).toMatchObject({ data: { n: '1' } });

  await swapKubeconfig(host, secret, kubeconfigs.right);
  await harness.remove('home');
  expect(await harness.configMap('there', member)).toBeUndefined();
  expect(await other.get(configMapResource, namesake.metadata)).toEqual(before);
});
