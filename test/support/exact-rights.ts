import { serviceAccountResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { kubeFromConfig } from '#runtime/client/credentials.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import type { Kube } from '#runtime/client/kube.js';
import { useWorld } from './world.js';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false };
const TYPES: Readonly<Record<string, ResourceType>> = {
  ClusterRole: { ...RBAC, kind: 'ClusterRole', plural: 'clusterroles' },
  ClusterRoleBinding: { ...RBAC, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings' },
};
const ACCOUNT = 'fairlead-controller';

/** A ClusterRole or a ClusterRoleBinding. */
interface Rights extends KubeObject {
  roleRef?: { name: string };
  subjects?: object[];
}

interface TokenRequest extends KubeObject {
  spec: object;
  status?: { token: string };
}

/** Clients that have the rights of manifests, and no others. */
export class ExactRights {
  readonly #host: Kube;
  readonly #granted: Rights[] = [];

  constructor(host: Kube) {
    this.#host = host;
  }

  /** A ServiceAccount of the namespace with the ClusterRoles and ClusterRoleBindings among `objects`, under own names. */
  async clientOf(namespace: string, objects: readonly KubeObject[]): Promise<Kube> {
    const metadata = { name: ACCOUNT, namespace };
    const host = this.#host;
    await host.create(serviceAccountResource, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    for (const object of objects) {
      const type = TYPES[object.kind];
      if (type === undefined) continue;
      const own = ownRights(object, namespace);
      this.#granted.push(own);
      await host.create(type, own);
    }
    const tokens = { ...serviceAccountResource, kind: 'TokenRequest', plural: `serviceaccounts/${ACCOUNT}/token` };
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} };
    const { status } = await host.create<TokenRequest>(tokens, request);
    const { cluster } = await readContext({ path: (await useWorld()).host.kubeconfig });
    const ca = Buffer.from(cluster?.caData ?? '', 'base64').toString('utf8');
    return kubeFromConfig({ server: host.server, ca, token: status?.token ?? '' });
  }

  /** Takes all of them back. */
  async revoke(): Promise<void> {
    for (const object of this.#granted) await this.#host.delete(TYPES[object.kind]!, object.metadata);
  }
}

function ownRights({ roleRef, ...object }: Rights, namespace: string): Rights {
  const own = (name: string): string => `${name}-${namespace}`;
  return {
    ...object,
    metadata: { name: own(object.metadata.name) },
    ...(roleRef && {
      roleRef: { ...roleRef, name: own(roleRef.name) },
      subjects: [{ kind: 'ServiceAccount', name: ACCOUNT, namespace }],
    }),
  };
}
