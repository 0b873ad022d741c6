import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { ApiProbe, untilYes } from './api-probe.js';
import {
  apiServerSpec,
  AUDIT_POLICY,
  clusterFiles,
  controllerManagerSpec,
  kwokSpec,
  schedulerSpec,
  type ClusterLayout,
} from './control-plane.js';
import { newTokens, tokenFile, writeKubeconfig, type Tokens, type User } from './credentials.js';
import { freePort, LOOPBACK } from './ports.js';
import { startOnFreePort, type Processes, type WorldProcess } from './processes.js';

const PRIVATE = 0o600;
const STAGES = ['node.yaml', 'pod.yaml'].map((file) => path.join(PACKAGE_ROOT, 'sandbox', 'stages', file));

/** One control plane of a world. */
export interface Cluster {
  /** `host`, `member-1`, `member-2` ... */
  readonly name: string;
  /** URL of the API server. */
  readonly server: string;
  /** Absolute path; an administrator, everything inline. */
  readonly kubeconfig: string;
  /** Absolute path of the audit log: one JSON document per line and mutating request. */
  readonly auditLog: string;
}

export interface ClusterStart {
  readonly layout: ClusterLayout;
  /** Where the administrator's kubeconfig goes. */
  readonly kubeconfig: string;
  readonly processes: Processes;
  readonly etcdPort: number;
  readonly signal: AbortSignal;
  /** Added to the arguments of the API server. */
  readonly apiServerArgs?: readonly string[];
}

/** An API server that answers; close the probe when no more is asked of it. */
interface ApiServer {
  readonly port: number;
  readonly server: string;
  readonly ca: string;
  readonly process: WorldProcess;
  readonly probe: ApiProbe;
}

/** `work`, unless one of the processes ends before it is done. */
async function whileRunning<T>(processes: readonly WorldProcess[], work: Promise<T>): Promise<T> {
  return Promise.race([work, ...processes.map((running) => running.ended)]);
}

/** Makes the files that an API server reads when it starts. */
export async function prepareFiles(layout: ClusterLayout, tokens: Tokens): Promise<void> {
  const files = clusterFiles(layout);
  await mkdir(files.certs, { recursive: true });
  await writeFile(files.tokens, tokenFile(tokens), { mode: PRIVATE });
  await writeFile(files.auditPolicy, AUDIT_POLICY);
}

/** The certificate that the API server makes for itself; its key is written last. */
async function servingCertificate(layout: ClusterLayout, signal: AbortSignal): Promise<string> {
  const { ca } = clusterFiles(layout);
  await untilYes(() => Promise.resolve(existsSync(ca.replace(/\.crt$/, '.key'))), signal);
  return readFile(ca, 'utf8');
}

/** Starts an API server on `port`; resolves when it is ready. Throws ProcessEndedError, or the reason of the signal. */
export async function runApiServer(start: ClusterStart, tokens: Tokens, port: number): Promise<ApiServer> {
  const { layout, processes, signal, apiServerArgs = [] } = start;
  const server = `https://${LOOPBACK}:${port}`;
  const spec = apiServerSpec(layout, port, start.etcdPort);
  const running = processes.start({ ...spec, args: [...spec.args, ...apiServerArgs] });
  const ca = await whileRunning([running], servingCertificate(layout, signal));
  const probe = new ApiProbe({ server, ca, token: tokens['sandbox-admin'] });
  const isReady = async (): Promise<boolean> => (await probe.send('GET', '/readyz'))?.code === 200;
  await whileRunning([running], untilYes(isReady, signal));
  return { port, server, ca, process: running, probe };
}

/** The same on a free port. */
export function startApiServer(start: ClusterStart, tokens: Tokens): Promise<ApiServer> {
  return startOnFreePort(async () => runApiServer(start, tokens, await freePort()));
}

/** Writes the kubeconfig of a user and returns its path. */
export async function kubeconfigFor(
  start: ClusterStart,
  api: Pick<ApiServer, 'server' | 'ca'>,
  tokens: Tokens,
  user: User,
): Promise<string> {
  const file = user === 'sandbox-admin' ? start.kubeconfig : path.join(start.layout.folder, `${user}.kubeconfig`);
  const { server, ca } = api;
  await writeKubeconfig(file, { cluster: start.layout.name, server, ca, user, token: tokens[user] });
  return file;
}

async function startControllers(start: ClusterStart, api: ApiServer, tokens: Tokens): Promise<WorldProcess[]> {
  const { layout, processes } = start;
  const configFor = (user: User): Promise<string> => kubeconfigFor(start, api, tokens, user);
  return [
    processes.start(controllerManagerSpec(layout, await configFor('system:kube-controller-manager'))),
    processes.start(schedulerSpec(layout, await configFor('system:kube-scheduler'))),
    processes.start(kwokSpec(layout, await configFor('kwok'), STAGES)),
  ];
}

function nodeManifest(cluster: string): object {
  const name = `${cluster}-node`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
  };
}

interface NodeStatus {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function isUsable(probe: ApiProbe, cluster: string): Promise<boolean> {
  const account = await probe.send('GET', '/api/v1/namespaces/default/serviceaccounts/default');
  const rootCa = await probe.send('GET', '/api/v1/namespaces/default/configmaps/kube-root-ca.crt');
  const node = await probe.send('GET', `/api/v1/nodes/${cluster}-node`);
  if (account?.code !== 200 || rootCa?.code !== 200 || node?.code !== 200) return false;
  // The API server answered 200, so this is a Node.
  const { status } = JSON.parse(node.body) as NodeStatus;
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

async function createNode(probe: ApiProbe, cluster: string): Promise<void> {
  const answer = await probe.send('POST', '/api/v1/nodes', nodeManifest(cluster));
  if (answer?.code !== 201) throw new Error(`cannot create the node of ${cluster}: ${answer?.body ?? 'no answer'}`);
}

/** Gives the cluster its node. Resolves when that is Ready and pods may be made; throws the reason of `signal`. */
export async function makeUsable(probe: ApiProbe, cluster: string, signal: AbortSignal): Promise<void> {
  await createNode(probe, cluster);
  await untilYes(() => isUsable(probe, cluster), signal);
}

/**
 * Starts the API server, and when it is ready the controller manager, the scheduler and kwok. Resolves when the
 * default service account exists and the node is Ready. Throws ProcessEndedError, or the reason of the signal.
 */
export async function startCluster(start: ClusterStart): Promise<Cluster> {
  const { layout, kubeconfig, signal } = start;
  const tokens = newTokens();
  await prepareFiles(layout, tokens);
  const api = await startApiServer(start, tokens);
  try {
    await kubeconfigFor(start, api, tokens, 'sandbox-admin');
    const controllers = await startControllers(start, api, tokens);
    await whileRunning([api.process, ...controllers], makeUsable(api.probe, layout.name, signal));
    return { name: layout.name, server: api.server, kubeconfig, auditLog: layout.auditLog };
  } finally {
    await api.probe.close();
  }
}
