import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { GenericContainer, Wait, type StartedNetwork, type StartedTestContainer } from 'testcontainers';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { WORLD_TOOLS, type Tools } from '#sandbox/tools.js';
import type { Cluster } from '#sandbox/world.js';
import { ApiProbe, untilYes } from '#sandbox/world/api-probe.js';
import { makeUsable } from '#sandbox/world/cluster.js';
import {
  apiServerSpec,
  AUDIT_POLICY,
  clusterFiles,
  controllerManagerSpec,
  etcdSpec,
  kwokSpec,
  schedulerSpec,
  type ClusterLayout,
} from '#sandbox/world/control-plane.js';
import {
  kubeconfigText,
  newTokens,
  tokenFile,
  writeKubeconfig,
  writeSigningKeys,
  type Tokens,
  type User,
} from '#sandbox/world/credentials.js';
import type { ProcessSpec } from '#sandbox/world/supervisor-protocol.js';
import { freePort, LOOPBACK } from '#sandbox/world/ports.js';
import { dockerApi, LABELS, nameOfRun } from './engine.js';
import { importImage, programs, which, type Content } from './images.js';

/** Everything of the cluster inside its container; it outlives a restart. */
const HOME = '/cluster';
const API_PORT = 6443;
const ETCD_PORTS = { client: 2379, peer: 2380 };
const START_LIMIT_MS = 300_000;
const STAGES = ['node.yaml', 'pod.yaml'];
const CONTROLLERS = ['system:kube-controller-manager', 'system:kube-scheduler', 'kwok'] as const;

const TOOLS_INSIDE = Object.fromEntries(WORLD_TOOLS.map((name) => [name, `/usr/local/bin/${name}`])) as Tools;

const MEMBER_IMAGE = nameOfRun('member');

/** Makes the image of a whole control plane, FROM scratch: the sandbox's programs and a shell that keeps them up. */
export async function makeMemberImage(tools: Tools): Promise<void> {
  const names = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd', 'kwok'] as const;
  const files = await programs({
    ...Object.fromEntries(names.map((name) => [TOOLS_INSIDE[name], tools[name]])),
    '/bin/sh': await which('sh'),
    '/bin/cat': await which('cat'),
    '/bin/sleep': await which('sleep'),
  });
  const stages = STAGES.map((file): [string, Content] => [
    `/stages/${file}`,
    { from: path.join(PACKAGE_ROOT, 'sandbox', 'stages', file) },
  ]);
  await importImage(MEMBER_IMAGE, new Map([...files, ...stages]), ['ENV PATH=/usr/local/bin:/bin']);
}

/** A member cluster in a container, and what may happen to it. */
export interface Member {
  readonly cluster: Cluster;
  readonly pause: () => Promise<void>;
  readonly unpause: () => Promise<void>;
  /** Takes its network away; its connections get no answer any more. */
  readonly cut: () => Promise<void>;
  readonly reconnect: () => Promise<void>;
  /** Kills everything in it and starts it again. */
  readonly crash: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

function layoutOf(name: string, index: number): ClusterLayout {
  const signingKeys = { privateKey: `${HOME}/service-accounts.key`, publicKey: `${HOME}/service-accounts.pub` };
  const auditLog = `${HOME}/audit.log`;
  return { name, folder: HOME, index, auditLog, tools: TOOLS_INSIDE, home: HOME, signingKeys };
}

function configFile(user: User): string {
  return `${HOME}/${user.replace(/^system:/, '')}.kubeconfig`;
}

/** A line of the start script: keeps a program running, from the moment when the file that it needs is there. */
function keep({ program, args }: ProcessSpec, needed: string): string {
  const words = [program, ...args].map((word) => `'${word}'`).join(' ');
  return `(until [ -e '${needed}' ]; do sleep 0.1; done; while :; do ${words}; sleep 0.5; done) &`;
}

function startScript(layout: ClusterLayout): string {
  const apiServer = apiServerSpec(layout, API_PORT, ETCD_PORTS.client);
  const [manager, scheduler, kwok] = CONTROLLERS.map(configFile) as [string, string, string];
  return [
    '#!/bin/sh',
    'trap exit TERM',
    keep(etcdSpec({ dir: HOME, tools: TOOLS_INSIDE }, ETCD_PORTS), HOME),
    // The last one counts. The certificate names loopback, where the port of the container is published.
    keep({ ...apiServer, args: [...apiServer.args, '--bind-address=0.0.0.0'] }, HOME),
    keep(controllerManagerSpec(layout, manager), manager),
    keep(schedulerSpec(layout, scheduler), scheduler),
    keep(
      kwokSpec(
        layout,
        kwok,
        STAGES.map((file) => `/stages/${file}`),
      ),
      kwok,
    ),
    'echo started',
    'wait',
    '',
  ].join('\n');
}

interface MemberStart {
  readonly name: string;
  /** From 1. */
  readonly index: number;
  /** Folder of the world. */
  readonly dir: string;
  readonly network: StartedNetwork;
}

async function startContainer(start: MemberStart, tokens: Tokens, port: number): Promise<StartedTestContainer> {
  const layout = layoutOf(start.name, start.index);
  const files = clusterFiles(layout);
  const folder = path.join(start.dir, start.name);
  await mkdir(folder);
  const keys = await writeSigningKeys(folder, 'service-accounts');
  const contents = {
    [files.tokens]: tokenFile(tokens),
    [files.auditPolicy]: AUDIT_POLICY,
    [layout.signingKeys.privateKey]: await readFile(keys.privateKey, 'utf8'),
    [layout.signingKeys.publicKey]: await readFile(keys.publicKey, 'utf8'),
    [`${HOME}/start.sh`]: startScript(layout),
  };
  return new GenericContainer(MEMBER_IMAGE)
    .withLabels({ ...LABELS })
    .withCopyContentToContainer(Object.entries(contents).map(([target, content]) => ({ target, content })))
    .withEntrypoint(['/bin/sh', `${HOME}/start.sh`])
    .withNetwork(start.network)
    .withExposedPorts({ container: API_PORT, host: port })
    .withWaitStrategy(Wait.forLogMessage('started'))
    .start();
}

/** The certificate that the API server made for itself; its key is written last. */
async function certificate(container: StartedTestContainer, file: string, signal: AbortSignal): Promise<string> {
  const key = file.replace(/\.crt$/, '.key');
  await untilYes(async () => (await container.exec(['cat', key])).exitCode === 0, signal);
  return (await container.exec(['cat', file])).stdout;
}

async function tailOf(container: StartedTestContainer): Promise<string> {
  const engine = (await dockerApi()).getContainer(container.getId());
  return (await engine.logs({ stdout: true, stderr: true, tail: 30 })).toString();
}

async function bringUp(start: MemberStart, container: StartedTestContainer, access: Access): Promise<Cluster> {
  const signal = AbortSignal.timeout(START_LIMIT_MS);
  const layout = layoutOf(start.name, start.index);
  const { tokens, server } = access;
  const ca = await certificate(container, clusterFiles(layout).ca, signal);
  const identity = (user: User) => ({ cluster: start.name, ca, user, token: tokens[user] });
  const probe = new ApiProbe({ server, ca, token: tokens['sandbox-admin'] });
  try {
    await untilYes(async () => (await probe.send('GET', '/readyz'))?.code === 200, signal);
    await container.copyContentToContainer(
      CONTROLLERS.map((user) => ({
        target: configFile(user),
        content: kubeconfigText({ ...identity(user), server: `https://${LOOPBACK}:${API_PORT}` }),
      })),
    );
    await makeUsable(probe, start.name, signal);
  } catch (error: unknown) {
    throw new Error(`${start.name} did not start; its log ends:\n${await tailOf(container)}`, { cause: error });
  } finally {
    await probe.close();
  }
  const kubeconfig = path.join(start.dir, `${start.name}.kubeconfig`);
  await writeKubeconfig(kubeconfig, { ...identity('sandbox-admin'), server });
  return { name: start.name, server, kubeconfig, auditLog: layout.auditLog };
}

interface Access {
  readonly tokens: Tokens;
  readonly server: string;
}

/** Starts a member cluster in a container of its own; its kubeconfig is in the world's folder. */
export async function startMember(start: MemberStart): Promise<Member> {
  const port = await freePort();
  const tokens = newTokens();
  const container = await startContainer(start, tokens, port);
  const docker = await dockerApi();
  const engine = docker.getContainer(container.getId());
  const network = docker.getNetwork(start.network.getId());
  const connection = { Container: container.getId() };
  const stop = async (): Promise<void> => {
    await container.stop({ timeout: 0 });
  };
  try {
    const cluster = await bringUp(start, container, { tokens, server: `https://${LOOPBACK}:${port}` });
    return {
      cluster,
      pause: async () => {
        await engine.pause();
      },
      unpause: async () => {
        await engine.unpause();
      },
      cut: async () => {
        await network.disconnect({ ...connection, Force: true });
      },
      reconnect: async () => {
        await network.connect(connection);
      },
      crash: async () => {
        await engine.restart({ t: 0 });
      },
      stop,
    };
  } catch (error: unknown) {
    await stop();
    throw error;
  }
}
