import type { KubeObject, ObjectRef } from '#api/meta.js';
import { METRICS_ALLOWED, METRICS_LABEL, PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';

const NAME_LABEL = 'app.kubernetes.io/name';
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** That of `--webhook-addr` in the docs; there is no default. */
const WEBHOOK_PORT = 9292;
/** The health port of the controller: config/manager. */
const HEALTH_PORT = 8080;

/** Which pods of which namespaces may connect, as in a NetworkPolicy. */
type Peer = Readonly<Record<'namespaceSelector' | 'podSelector', object>> | { readonly namespaceSelector: object };

/** KubeSphere's server, which proxies the requests of its console. */
const KUBESPHERE_API: Peer = {
  namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: 'kubesphere-system' } },
  podSelector: { matchLabels: { app: 'ks-apiserver' } },
};

/** By labels of namespaces, and not of pods, which each tenant may give to its own. */
const METRICS_READERS: readonly Peer[] = [
  { namespaceSelector: { matchLabels: { [METRICS_LABEL]: METRICS_ALLOWED } } },
  {
    namespaceSelector: {
      matchExpressions: [
        { key: NAMESPACE_NAME, operator: 'In', values: ['kubesphere-monitoring-system', 'monitoring'] },
      ],
    },
  },
];

interface Ingress {
  /** Absent: anybody. */
  readonly from?: readonly Peer[];
  readonly ports: readonly { readonly port: number }[];
}

function networkPolicy(account: ObjectRef, ingress: readonly Ingress[]): KubeObject {
  const selected = { [NAME_LABEL]: account.name };
  const policy: KubeObject & { spec: object } = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { ...account, labels: { ...selected, [PART_OF_LABEL]: PART_OF_FAIRLEAD } },
    spec: { podSelector: { matchLabels: selected }, policyTypes: ['Ingress'], ingress },
  };
  return policy;
}

/** The peers that may connect to the console: KubeSphere's server to its API, and readers of metrics to its health port. */
export function consolePolicy(account: ObjectRef, port: { readonly api: number; readonly health: number }): KubeObject {
  return networkPolicy(account, [
    { from: [KUBESPHERE_API], ports: [{ port: port.api }] },
    { from: METRICS_READERS, ports: [{ port: port.health }] },
  ]);
}

/** The peers that may connect to the controller: readers of metrics to its health port, and anybody to that of webhooks. */
export function controllerPolicy(account: ObjectRef): KubeObject {
  return networkPolicy(account, [
    { from: METRICS_READERS, ports: [{ port: HEALTH_PORT }] },
    { ports: [{ port: WEBHOOK_PORT }] },
  ]);
}
