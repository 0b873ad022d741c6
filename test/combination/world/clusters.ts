import { ARGOCD_SECRET_SELECTOR, KUBECONFIG_SUFFIX } from '#api/cluster/kinds.js';
import { crdResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { ACCEPT_CLUSTER_UID_ANNOTATION, CLUSTER_LABEL } from '#api/v1alpha1/labels.js';
import type { Identities } from '#controllers/cluster/identities.js';
import { clusterIdText } from '#controllers/cluster/model/cluster.js';
import { isLabelEdit } from '#controllers/cluster/model/probe.js';
import { LEADS_TO } from './engine-base.js';
import { capiResource } from './kinds.js';
import type { Members } from './members.js';
import type { MemoryServer } from './server.js';
import type { Asking } from './writes.js';

const USER: Asking = { actor: 'user', manager: 'kubectl' };

/** How the host describes a cluster. `ArgoCD`: a Secret of Argo CD, which holds no credential in this world. */
export type ClusterKind = 'Secret' | 'Cluster' | 'ArgoCD';

const [ARGOCD_LABEL = '', ARGOCD_VALUE = ''] = ARGOCD_SECRET_SELECTOR.split('=');
const IN_CLUSTER = Buffer.from('https://kubernetes.default.svc').toString('base64');

/** The labels that make a cluster of a Secret. */
const MARKS: Readonly<Record<ClusterKind, Readonly<Record<string, string>>>> = {
  Secret: { [CLUSTER_LABEL]: 'true' },
  Cluster: {},
  ArgoCD: { [ARGOCD_LABEL]: ARGOCD_VALUE },
};

/** The cluster that a Secret describes; undefined: it describes none. */
export function kindOfSecret({ metadata: { labels = {} } }: KubeObject): ClusterKind | undefined {
  if (labels[CLUSTER_LABEL] === 'true') return 'Secret';
  return labels[ARGOCD_LABEL] === ARGOCD_VALUE ? 'ArgoCD' : undefined;
}

export interface DescribedCluster {
  readonly kind: ClusterKind;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Where its kubeconfig leads: the UID of a cluster, or a text that is no kubeconfig. */
  readonly leadsTo: string;
}

type Data = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** The objects that describe clusters, in one namespace, as users write them. */
export class Clusters {
  readonly #server: MemoryServer;
  readonly namespace: string;

  /** The Secrets of clusters that the process knows, by `clusterIdText`. */
  #known: ReadonlyMap<string, Data | undefined> = new Map();
  /** The version of the server that they are of. */
  #doubtedAt: string | undefined;

  constructor(server: MemoryServer, namespace: string) {
    this.#server = server;
    this.namespace = namespace;
    const spec = { versions: [{ name: capiResource.version, served: true }] };
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
    server.create(crdResource, { ...crd, metadata: { name: 'clusters.cluster.x-k8s.io' } }, USER);
  }

  list(): DescribedCluster[] {
    const secrets = this.#server.list(secretResource, this.namespace).flatMap((secret) => {
      const kind = kindOfSecret(secret);
      return kind === undefined ? [] : [{ kind, ...secret.metadata }];
    });
    const capi = this.#server
      .list(capiResource, this.namespace)
      .map(({ metadata }) => ({ kind: 'Cluster' as const, ...metadata }));
    return [...secrets, ...capi].map(({ kind, name, labels = {} }) => ({
      ...{ kind, name, labels },
      leadsTo: kind === 'ArgoCD' ? '' : this.#leadsTo(kind, name),
    }));
  }

  /** Without a kind: the first of that name. */
  find(name: string, kind?: ClusterKind): DescribedCluster | undefined {
    return this.list().find((each) => each.name === name && (kind === undefined || each.kind === kind));
  }

  add({ kind, name, labels, leadsTo }: DescribedCluster): void {
    const { namespace } = this;
    const secret = {
      ...{ apiVersion: 'v1', kind: 'Secret' },
      data: kind === 'ArgoCD' ? { server: IN_CLUSTER } : { [LEADS_TO]: leadsTo },
      metadata: {
        ...{ name: secretNameOf(kind, name), namespace },
        labels: kind === 'Cluster' ? {} : { ...labels, ...MARKS[kind] },
      },
    };
    if (this.#server.get(secretResource, secret.metadata) === undefined)
      this.#server.create(secretResource, secret, USER);
    if (kind !== 'Cluster') return;
    const apiVersion = `${capiResource.group}/${capiResource.version}`;
    const cluster = { apiVersion, kind: 'Cluster', metadata: { name, namespace, labels }, spec: {} };
    if (this.#server.get(capiResource, cluster.metadata) === undefined)
      this.#server.create(capiResource, cluster, USER);
    this.report(name, true);
  }

  /** The object says whether its cluster is ready; false: it cannot. */
  report(name: string, isReady: boolean): boolean {
    if (this.find(name)?.kind !== 'Cluster') return false;
    const status = { conditions: [{ type: 'ControlPlaneInitialized', status: isReady ? 'True' : 'False' }] };
    const patch = { type: 'merge', body: { status } } as const;
    const ref = { name, namespace: this.namespace };
    this.#server.patch(capiResource, ref, patch, { ...USER, subresource: 'status' });
    return true;
  }

  /** Merge patch of the object that describes a cluster. */
  patch(name: string, body: object): void {
    const found = this.find(name);
    if (found === undefined) return;
    const type = found.kind === 'Cluster' ? capiResource : secretResource;
    const ref = { name, namespace: this.namespace };
    this.#server.patch(type, ref, { type: 'merge', body }, USER);
  }

  /** Writes another kubeconfig. */
  lead(name: string, leadsTo: string): void {
    const found = this.find(name);
    if (found === undefined) return;
    const ref = { name: secretNameOf(found.kind, name), namespace: this.namespace };
    if (this.#server.get(secretResource, ref) === undefined) return;
    const body = { data: { [LEADS_TO]: leadsTo } };
    this.#server.patch(secretResource, ref, { type: 'merge', body }, USER);
  }

  /** Deletes the object; of a Cluster its Secret only with `alsoSecret`. */
  remove(name: string, alsoSecret: boolean): void {
    const found = this.find(name);
    if (found === undefined) return;
    const { namespace } = this;
    if (found.kind === 'Cluster') this.#server.delete(capiResource, { name, namespace }, {}, USER);
    if (found.kind === 'Cluster' && !alsoSecret) return;
    this.#server.delete(secretResource, { name: secretNameOf(found.kind, name), namespace }, {}, USER);
  }

  /** The UID that the user accepted for a cluster. */
  accept(name: string, uid: string): void {
    this.patch(name, { metadata: { annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: uid } } });
  }

  /** Nobody takes a cluster whose Secret was written for the one that it was, until it answers. */
  doubt(identities: Identities): void {
    if (this.#doubtedAt === this.#server.version) return;
    this.#doubtedAt = this.#server.version;
    const before = this.#known;
    this.#known = new Map(this.list().map(({ kind, name }) => [this.idOf(kind, name), this.#secretOf(kind, name)]));
    for (const [id, secret] of before) {
      const now = this.#known.get(id);
      if (!this.#known.has(id)) identities.forget(id);
      else if (now?.metadata.resourceVersion !== secret?.metadata.resourceVersion)
        identities.askAgain(id, now !== undefined && isLabelEdit(secret, now));
    }
  }

  /** Stores the UIDs that the probes find now; true: all answer. One that does not answer is still to be asked. */
  probe(identities: Identities, members: Members): boolean {
    const found = this.list().map(({ kind, name, leadsTo }) => {
      const [member, id] = [members.get(leadsTo), this.idOf(kind, name)];
      const isAnswering = member !== undefined && !member.isDown;
      if (isAnswering) identities.set(id, member.uid);
      else identities.asked(id);
      return isAnswering;
    });
    return found.every(Boolean);
  }

  idOf(kind: ClusterKind, name: string): string {
    const { namespace } = this;
    return kind === 'Cluster'
      ? clusterIdText({ apiGroup: capiResource.group, kind, namespace, name })
      : clusterIdText({ apiGroup: '', kind: 'Secret', namespace, name });
  }

  #secretOf(kind: ClusterKind, name: string): Data | undefined {
    const ref = { name: secretNameOf(kind, name), namespace: this.namespace };
    return this.#server.get(secretResource, ref);
  }

  #leadsTo(kind: ClusterKind, name: string): string {
    return this.#secretOf(kind, name)?.data?.[LEADS_TO] ?? '';
  }
}

function secretNameOf(kind: ClusterKind, name: string): string {
  return kind === 'Cluster' ? `${name}${KUBECONFIG_SUFFIX}` : name;
}
