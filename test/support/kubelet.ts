import { expect } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { freePort } from '#sandbox/world/ports.js';
import type { Cluster, World } from '#sandbox/world.js';
import { selfSignedCertificate } from './certificate.js';
import { eventually, kubeFor } from './world.js';

interface NodeObject extends KubeObject {
  readonly status?: { readonly conditions?: unknown };
}

const nodeResource: ResourceType = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };
const LOOPBACK = '127.0.0.1';

export interface Kubelet {
  /** Name of its node. */
  readonly node: string;
  /** From now on, the containers of pods that are bound to it have printed these lines, and nothing else. */
  print(...lines: readonly string[]): Promise<void>;
  /** Before their last restart, they printed these lines. */
  printBefore(...lines: readonly string[]): Promise<void>;
  /** They print more. */
  printMore(...lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

async function makeNode(kube: Kube, name: string, port: number): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  await kube.create<KubeObject>(nodeResource, node);
  const status = {
    addresses: [{ type: 'InternalIP', address: LOOPBACK }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    allocatable: { cpu: '1k', memory: '1Ti', pods: '1M' },
    capacity: { cpu: '1k', memory: '1Ti', pods: '1M' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'it answers' }],
  };
  // The kwok of the sandbox reports it first, without an address.
  await eventually(async () => {
    const seen = await kube.get<NodeObject>(nodeResource, { name });
    expect(seen?.status?.conditions).toBeDefined();
  });
  await kube.patch(
    nodeResource,
    { name },
    { type: 'merge', body: { status } },
    {
      fieldManager: 'test',
      subresource: 'status',
    },
  );
}

/** As container runtimes write them to files. */
function inFile(lines: readonly string[]): string {
  return lines.map((line) => `2026-01-01T00:00:00.000000000Z stdout F ${line}\n`).join('');
}

/** A node of a sandbox cluster whose agent answers requests for logs. */
export async function startKubelet(world: World, cluster: Cluster, node: string): Promise<Kubelet> {
  const folder = path.join(world.dir, node);
  await mkdir(folder);
  const fileOf = (name: string): string => path.join(folder, name);
  const { cert, key } = selfSignedCertificate(`system:node:${node}`, 'system:nodes');
  const logs = { logs: [{ logsFile: fileOf('log'), previousLogsFile: fileOf('before'), follow: true }] };
  const config = { apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'ClusterLogs', metadata: { name: node }, spec: logs };
  const files = { cert, key, log: '', before: '', 'config.yaml': JSON.stringify(config) };
  for (const [name, content] of Object.entries(files)) await writeFile(fileOf(name), content);
  const port = await freePort();
  const child = spawn(
    world.tools.kwok,
    [
      ...[`--kubeconfig=${cluster.kubeconfig}`, `--config=${fileOf('config.yaml')}`],
      // It manages no node, and does not start without stages.
      ...['node', 'pod'].map((kind) => `--config=${path.resolve('sandbox', 'stages', `${kind}.yaml`)}`),
      ...['--manage-single-node=nobody', '--node-lease-duration-seconds=0', `--server-address=${LOOPBACK}:${port}`],
      ...[`--tls-cert-file=${fileOf('cert')}`, `--tls-private-key-file=${fileOf('key')}`],
    ],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const kube = await kubeFor(cluster);
  const close = async (): Promise<void> => {
    child.kill();
    await ended;
    await kube.delete(nodeResource, { name: node });
    await kube.close();
  };
  try {
    await eventually(() => fetch(`http://${LOOPBACK}:${port}/healthz`));
    await makeNode(kube, node, port);
  } catch (error: unknown) {
    await close();
    throw error;
  }
  return {
    node,
    print: (...lines) => writeFile(fileOf('log'), inFile(lines)),
    printBefore: (...lines) => writeFile(fileOf('before'), inFile(lines)),
    printMore: (...lines) => appendFile(fileOf('log'), inFile(lines)),
    close,
  };
}
