import { beforeAll, describe, expect, it } from '@jest/globals';
import { namespaceResource, podResource, deploymentResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { readManifests } from '#cli/install/package.js';
import { ResourceTypes } from '#cli/command/objects.js';
import type { Kube } from '#runtime/client/kube.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace } from '../../support/world.js';

interface Deployment extends KubeObject {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: object } };
}

describe('config/console on a real API server', () => {
  const kube = useHost();
  let namespace: string;
  let objects: KubeObject[];

  beforeAll(async () => {
    namespace = await freshNamespace(kube, 'console-manifests');
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const body = { metadata: { labels } };
    await kube.patch(namespaceResource, { name: namespace }, { type: 'merge', body });
    objects = await readManifests('config/console');
  });

  const moved = (object: KubeObject): KubeObject =>
    object.metadata.namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };

  async function apply(client: Kube, object: KubeObject): Promise<KubeObject> {
    const type = await new ResourceTypes(client).of(object);
    // Server-side apply refuses fields that the schema does not declare.
    return client.apply(type, moved(object), { dryRun: true, fieldManager: 'test' });
  }

  it('is accepted, each object of it', async () => {
    for (const object of objects) await apply(kube, object);
    const kinds = ['ClusterRole', 'ClusterRoleBinding', 'Deployment', 'NetworkPolicy', 'Service', 'ServiceAccount'];
    expect(objects.map(({ kind }) => kind).sort()).toEqual(kinds);
  });

  it('makes pods that a restricted namespace admits, and others are not', async () => {
    const deployment = objects.find(({ kind }) => kind === deploymentResource.kind) as Deployment;
    const { spec } = deployment.spec.template;
    const pod = (of: object): KubeObject => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'console', namespace } },
      ...{ spec: { ...of, serviceAccountName: undefined } },
    });
    await kube.create(podResource, pod(spec), { dryRun: true });
    const loose = { ...spec, securityContext: {} };
    await expect(kube.create(podResource, pod(loose), { dryRun: true })).rejects.toThrow(/violates PodSecurity/);
  });
});
