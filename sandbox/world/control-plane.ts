import path from 'node:path';
import type { Tools } from '../tools.js';
import type { ProcessSpec } from './supervisor-protocol.js';
import { LOOPBACK } from './ports.js';

/** The controllers that workloads, namespaces, service accounts and garbage need; the others only cost time. */
const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'namespace-controller',
  'persistentvolumeclaim-protection-controller',
  'replicaset-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'statefulset-controller',
  'ttl-after-finished-controller',
  'validatingadmissionpolicy-status-controller',
];

const FAST_CLIENT = ['--kube-api-qps=500', '--kube-api-burst=1000'];

/** Where everything of one cluster is. */
export interface ClusterLayout {
  readonly name: string;
  /** Folder of the cluster, below the world's. */
  readonly folder: string;
  /** Number of the cluster in its world, from 0; gives it address ranges of its own. */
  readonly index: number;
  readonly auditLog: string;
  readonly tools: Tools;
  /** HOME of the processes: they write nothing outside the world. */
  readonly home: string;
  readonly signingKeys: { readonly privateKey: string; readonly publicKey: string };
}

function spec(layout: ClusterLayout, tool: keyof Tools, args: readonly string[]): ProcessSpec {
  const env = { HOME: layout.home, PATH: '/usr/bin:/bin' };
  return { name: `${layout.name}-${tool}`, program: layout.tools[tool], args, env };
}

/** etcd for all clusters of a world; what it holds is not worth an fsync. */
export function etcdSpec(world: { dir: string; tools: Tools }, ports: { client: number; peer: number }): ProcessSpec {
  const client = `http://${LOOPBACK}:${ports.client}`;
  const peer = `http://${LOOPBACK}:${ports.peer}`;
  const args = [
    '--name=sandbox',
    `--data-dir=${path.join(world.dir, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=sandbox=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
  return { name: 'etcd', program: world.tools.etcd, args, env: { HOME: world.dir, PATH: '/usr/bin:/bin' } };
}

/** Files that the API server reads or makes, below the cluster's folder. */
export function clusterFiles(layout: ClusterLayout): Record<'certs' | 'ca' | 'tokens' | 'auditPolicy', string> {
  const certs = path.join(layout.folder, 'certs');
  return {
    certs,
    // The API server makes it: its own certificate and the one-time CA that signed it.
    ca: path.join(certs, 'apiserver.crt'),
    tokens: path.join(layout.folder, 'tokens.csv'),
    auditPolicy: path.join(layout.folder, 'audit-policy.yaml'),
  };
}

export function apiServerSpec(layout: ClusterLayout, port: number, etcdPort: number): ProcessSpec {
  const files = clusterFiles(layout);
  return spec(layout, 'kube-apiserver', [
    `--etcd-servers=http://${LOOPBACK}:${etcdPort}`,
    `--etcd-prefix=/${layout.name}`,
    `--bind-address=${LOOPBACK}`,
    `--advertise-address=${LOOPBACK}`,
    `--secure-port=${port}`,
    `--cert-dir=${files.certs}`,
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${layout.signingKeys.publicKey}`,
    `--service-account-signing-key-file=${layout.signingKeys.privateKey}`,
    `--service-cluster-ip-range=10.${100 + layout.index}.0.0/16`,
    '--endpoint-reconciler-type=none',
    // No node agent reports here, so nothing would ever take the not-ready taint away.
    '--disable-admission-plugins=TaintNodesByCondition',
    '--allow-privileged=true',
    '--enable-priority-and-fairness=false',
    '--max-requests-inflight=2000',
    '--max-mutating-requests-inflight=1000',
    '--profiling=false',
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${layout.auditLog}`,
    // A request is in the log before it is answered, so that writes can be counted.
    '--audit-log-mode=blocking',
    '--audit-log-maxsize=2048',
  ]);
}

export function controllerManagerSpec(layout: ClusterLayout, kubeconfig: string): ProcessSpec {
  return spec(layout, 'kube-controller-manager', [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${CONTROLLERS.join(',')}`,
    `--service-account-private-key-file=${layout.signingKeys.privateKey}`,
    `--root-ca-file=${clusterFiles(layout).ca}`,
    '--leader-elect=false',
    '--secure-port=0',
    ...FAST_CLIENT,
  ]);
}

export function schedulerSpec(layout: ClusterLayout, kubeconfig: string): ProcessSpec {
  return spec(layout, 'kube-scheduler', [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    ...FAST_CLIENT,
  ]);
}

export function kwokSpec(layout: ClusterLayout, kubeconfig: string, stages: readonly string[]): ProcessSpec {
  return spec(layout, 'kwok', [
    `--kubeconfig=${kubeconfig}`,
    '--manage-all-nodes',
    ...stages.map((file) => `--config=${file}`),
    '--node-lease-duration-seconds=0',
    `--cidr=10.${200 + layout.index}.0.0/16`,
  ]);
}

/** Every mutating request once, with who and what, without bodies. */
export const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: Metadata
    verbs: [create, update, patch, delete, deletecollection]
  - level: None
`;
