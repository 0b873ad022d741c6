import { secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import type { Kube } from '#runtime/client/kube.js';
import { grant } from './harness.js';
import { withWeb, type People } from './people.js';

/** Of the cluster that answers. */
export const FOUND = '0b7c5a0e-1111-4222-8333-444455556666';
export const PASSWORD = 'password-of-the-cluster';

type Ref = { readonly name: string; readonly namespace: string };

/** A row of the status of a destination whose cluster was replaced. */
export function replacedRow(cluster: Ref, { found = FOUND, name = cluster.name } = {}) {
  const replaced = { object: { kind: 'Secret', ...cluster }, recorded: 'old', found };
  return { name, cluster: cluster.name, state: 'Failed', message: 'the cluster was replaced', replaced };
}

/** A Secret that describes a cluster, as it was before anybody accepted anything. */
export async function describeCluster(kube: Kube, ref: Ref, labels: object = { [CLUSTER_LABEL]: 'true' }) {
  await kube.delete(secretResource, ref);
  const kubeconfig = { value: PASSWORD };
  const metadata = { ...ref, labels };
  await kube.create(secretResource, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    stringData: kubeconfig,
  } as KubeObject);
}

export async function acceptedBy(kube: Kube, ref: Ref): Promise<string | undefined> {
  const secret = await kube.get<KubeObject>(secretResource, ref);
  return secret?.metadata.annotations?.[ACCEPT_CLUSTER_UID_ANNOTATION];
}

/** The admin may accept clusters of the namespace, and the member may read, and not write them. */
export async function grantSecrets(kube: Kube, namespace: string, where = namespace): Promise<void> {
  const verbsOf = { admin: ['get', 'patch'], member: ['get'] };
  for (const [name, verbs] of Object.entries(verbsOf)) {
    const user = { kind: 'ServiceAccount', name, namespace };
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs }];
    await grant(kube, `${name}-secrets`, { namespace: where, user, rules });
  }
}

/** Application `web` with a destination on cluster `gone`, which was replaced. */
export async function withReplaced(people: People): Promise<Application> {
  const ref = { name: 'gone', namespace: people.namespace };
  await grantSecrets(people.kube, people.namespace);
  await describeCluster(people.kube, ref);
  return withWeb(people, { rows: [replacedRow(ref)] });
}
