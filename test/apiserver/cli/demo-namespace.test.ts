import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { namespaceResource } from '#api/core.js';
import { claimNamespace } from '#cli/local/existing-cluster.js';
import { isOwnNamespace, markOf } from '#cli/local/mark.js';
import type { UserClusters } from '#cli/local/user-clusters.js';
import type { Kube } from '#runtime/client/kube.js';
import { startFaultProxy, type FaultProxy } from '../../support/proxy.js';
import { freshNamespace, kubeFor, useWorld } from '../../support/world.js';

let kube: Kube;
let proxy: FaultProxy;
let through: Kube;

beforeAll(async () => {
  const { host } = await useWorld();
  kube = await kubeFor(host);
  proxy = await startFaultProxy(host);
  through = proxy.kube();
});

afterAll(async () => {
  await Promise.all([kube.close(), through.close()]);
  await proxy.close();
});

function demoIn(namespace: string): UserClusters {
  const host = { given: '--kubeconfig host', kube: through, uid: 'host' };
  return { host, members: [], namespace, mark: markOf('host', namespace), close: () => through.close() };
}

it('the namespace of a demo is its own, even if the answer to its creation is lost', async () => {
  const demo = demoIn(`demo-${process.pid}`);
  const created = proxy.http.inject({
    match: ({ method, path }) => method === 'POST' && path.startsWith('/api/v1/namespaces'),
    times: 1,
    cutBodyAfter: () => 0,
  });
  await claimNamespace(demo);
  created();
  const live = await kube.get(namespaceResource, { name: demo.namespace });
  expect(live && isOwnNamespace(live, demo)).toBe(true);
  await kube.delete(namespaceResource, { name: demo.namespace });
});

it('a namespace of somebody else stays as it is', async () => {
  const name = await freshNamespace(kube, 'theirs');
  const before = await kube.get(namespaceResource, { name });
  await expect(claimNamespace(demoIn(name))).rejects.toThrow(/already exists/);
  const after = await kube.get(namespaceResource, { name });
  expect(after?.metadata.annotations).toEqual(before?.metadata.annotations);
  expect(after?.metadata.labels).toEqual(before?.metadata.labels);
});
