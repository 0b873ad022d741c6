import { expect, test } from '@jest/globals';
import { Discovery } from '#engine/member/discovery.js';
import { NewKinds } from '#engine/member/new-kinds.js';
import { isNamespacedKind, KUBE_VERSION, PLAIN_API_VERSIONS } from '#engine/member/plain-cluster.js';
import { kubeFor, useWorld } from '../../support/world.js';

/** Those of Kubernetes itself: other tests may have put CRDs there. */
const OF_KUBERNETES = /^([a-z]+\/|v1(\/|$)|[^/]*\.k8s\.io\/)/;

test('a cluster that nobody asks is taken to serve what a real one does', async () => {
  const { host } = await useWorld();
  const kube = await kubeFor(host);
  try {
    const discovery = new Discovery(kube, new NewKinds());
    const { kubeVersion, apiVersions } = await discovery.capabilities();
    expect(apiVersions.filter((each) => OF_KUBERNETES.test(each))).toEqual(PLAIN_API_VERSIONS);
    expect(kubeVersion.split('.').slice(0, 2)).toEqual(KUBE_VERSION.split('.').slice(0, 2));
    for (const each of PLAIN_API_VERSIONS) {
      const slash = each.lastIndexOf('/');
      const [apiVersion, kind] = [each.slice(0, Math.max(0, slash)), each.slice(slash + 1)];
      const expected = isNamespacedKind(apiVersion, kind);
      if (expected === undefined) continue;
      expect([each, (await discovery.resourceType(apiVersion, kind)).namespaced]).toEqual([each, expected]);
    }
  } finally {
    await kube.close();
  }
});
