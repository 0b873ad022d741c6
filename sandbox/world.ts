import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import once from 'lodash/once.js';
import { fetch, type Response } from 'undici';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { shellQuoted } from '#lib/text/text.js';
import { startGitServer } from './git-server.js';
import { packageCharts, startHelmRepository } from './helm-repository.js';
import { pushCharts, registrySpec } from './registry.js';
import { seedRepository } from './servers/git-repository.js';
import { freePort, freePorts, type HttpServer, LOOPBACK } from './world/ports.js';
import { ensureTools, type ToolChoice, type Tools, WORLD_TOOLS } from './tools.js';
import { untilYes } from './world/api-probe.js';
import { type Cluster, startCluster } from './world/cluster.js';
import { etcdSpec } from './world/control-plane.js';
import { writeSigningKeys } from './world/credentials.js';
import { claimFolder } from './world/folder.js';
import { Processes, startOnFreePort } from './world/processes.js';

export type { Cluster } from './world/cluster.js';

const START_LIMIT_MS = 180_000;
/** For one answer of a server that may just have started. */
const ANSWER_MS = 5_000;

/** The git repository made of sandbox/repo. */
const REPOSITORY = 'apps';

/** Clusters and servers on loopback, complete and alone: several worlds may run side by side. */
export interface World {
  /** Everything that the world writes is in here; the folder goes with the world. */
  readonly dir: string;
  readonly host: Cluster;
  readonly members: readonly Cluster[];
  /** Clone URL of the git repository made of sandbox/repo. */
  readonly gitUrl: string;
  /** Helm repository with every chart of sandbox/charts. */
  readonly helmRepositoryUrl: string;
  /** `host:port` of the OCI registry (plain HTTP), with the same charts below `charts/`. */
  readonly registry: string;
  readonly tools: Tools;
  /** Ends every process and removes the folder; harmless when called again. */
  readonly stop: () => Promise<void>;
}

export interface StartWorldOptions extends ToolChoice {
  /** Must not exist, or be empty. */
  dir: string;
  /** Number of member clusters, without the host. */
  members: number;
  onProgress?: (line: string) => void;
  /** Aborts the start; a started world is ended by `stop`. */
  signal?: AbortSignal;
}

interface Start {
  readonly dir: string;
  readonly tools: Tools;
  readonly processes: Processes;
  /** Filled while the servers start; closed with the world. */
  readonly httpServers: HttpServer[];
  readonly signal: AbortSignal;
  /** Gives the whole start up. */
  readonly abort: (reason: unknown) => void;
  readonly say: (line: string) => void;
}

/** True if the server on this port is the expected one: another program may have taken the port in between. */
async function answers(
  port: number,
  path: string,
  isExpected: (response: Response) => boolean | Promise<boolean>,
): Promise<boolean> {
  try {
    const response = await fetch(`http://${LOOPBACK}:${port}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
    return response.ok && (await isExpected(response));
  } catch {
    return false;
  }
}

async function isEtcd(response: Response): Promise<boolean> {
  return (await response.text()).includes('etcdserver');
}

function isRegistry({ headers }: Response): boolean {
  return headers.get('docker-distribution-api-version') !== null;
}

/** Starts a server that listens on the port it is given; resolves when it does. */
export async function startEtcd(start: Pick<Start, 'dir' | 'tools' | 'processes' | 'signal'>): Promise<number> {
  return startOnFreePort(async () => {
    const [client = 0, peer = 0] = await freePorts(2);
    const etcd = start.processes.start(etcdSpec(start, { client, peer }));
    await Promise.race([etcd.ended, untilYes(() => answers(client, '/version', isEtcd), start.signal)]);
    return client;
  });
}

async function startClusters(start: Start, names: readonly string[]): Promise<Cluster[]> {
  const etcdPort = await startEtcd(start);
  const signingKeys = await writeSigningKeys(start.dir, 'service-accounts');
  const { dir, tools, processes, signal } = start;
  return Promise.all(
    names.map(async (name, index) => {
      const auditLog = path.join(dir, 'logs', `${name}-audit.log`);
      const folder = path.join(dir, 'clusters', name);
      const layout = { name, folder, index, auditLog, tools, home: dir, signingKeys };
      const kubeconfig = path.join(dir, `${name}.kubeconfig`);
      const cluster = await startCluster({ layout, kubeconfig, processes, etcdPort, signal });
      start.say(`${name}: ready at ${cluster.server}`);
      return cluster;
    }),
  );
}

async function startRegistry(start: Start): Promise<string> {
  return startOnFreePort(async () => {
    const port = await freePort();
    const spec = await registrySpec({ dir: start.dir, program: start.tools.registry, port });
    const registry = start.processes.start(spec);
    await Promise.race([registry.ended, untilYes(() => answers(port, '/v2/', isRegistry), start.signal)]);
    return `${LOOPBACK}:${port}`;
  });
}

async function startCharts(start: Start): Promise<Pick<World, 'helmRepositoryUrl' | 'registry'>> {
  const { dir, tools } = start;
  const root = path.join(dir, 'charts');
  const charts = path.join(PACKAGE_ROOT, 'sandbox', 'charts');
  const archives = await packageCharts({ helm: tools.helm, charts, root, home: dir });
  const registry = await startRegistry(start);
  await pushCharts({ helm: tools.helm, registry, archives, home: dir });
  const server = await startHelmRepository(root);
  start.httpServers.push(server);
  return { helmRepositoryUrl: `${server.origin}/charts`, registry };
}

async function startGit(start: Start): Promise<string> {
  const root = path.join(start.dir, 'git');
  await seedRepository(root, REPOSITORY, path.join(PACKAGE_ROOT, 'sandbox', 'repo'));
  const server = await startGitServer(root);
  start.httpServers.push(server);
  return `${server.origin}/${REPOSITORY}.git`;
}

async function startServers(start: Start): Promise<Pick<World, 'gitUrl' | 'helmRepositoryUrl' | 'registry'>> {
  const gitUrl = await startGit(start);
  const charts = await startCharts(start);
  start.say('Git server, Helm repository and OCI registry: ready');
  return { gitUrl, ...charts };
}

/** A signal for the start as a whole; `release` when it is over. */
function startLimit(outer: AbortSignal | undefined): Pick<Start, 'signal' | 'abort'> & { release: () => void } {
  const inner = new AbortController();
  const abort = (reason: unknown): void => inner.abort(reason);
  const timer = setTimeout(() => {
    abort(new Error(`the sandbox was not ready after ${START_LIMIT_MS / 1_000} s`));
  }, START_LIMIT_MS);
  const signal = outer === undefined ? inner.signal : AbortSignal.any([inner.signal, outer]);
  return { signal, abort, release: () => clearTimeout(timer) };
}

function clusterNames(members: number): string[] {
  return ['host', ...Array.from({ length: members }, (_, index) => `member-${index + 1}`)];
}

async function startParts(start: Start, members: number): Promise<Omit<World, 'stop'>> {
  const parts = [startClusters(start, clusterNames(members)), startServers(start)] as const;
  try {
    const [[host, ...others], servers] = await Promise.all(parts);
    if (host === undefined) throw new Error('a world has a host');
    return { dir: start.dir, host, members: others, ...servers, tools: start.tools };
  } catch (error: unknown) {
    // What still starts must see the failure before the caller cleans up behind it.
    start.abort(error);
    await Promise.allSettled(parts);
    throw error;
  }
}

/** Writes `bin/fairlead`, so that printed commands work for users who have not installed it. */
async function writeProgram(dir: string): Promise<void> {
  const quoted = [process.execPath, path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js')].map(shellQuoted);
  const folder = path.join(dir, 'bin');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'fairlead'), `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`, { mode: 0o755 });
}

/**
 * Starts a world in `options.dir`: one host, its members and the servers. When this process ends, in any way, the
 * world goes with it. Throws, leaving nothing behind, when a part of it does not start (with the end of its log).
 */
export async function startWorld(options: StartWorldOptions): Promise<World> {
  const say = options.onProgress ?? (() => undefined);
  const { signal: interruption, download, compile } = options;
  const tools = await ensureTools(WORLD_TOOLS, { onProgress: say, signal: interruption, download, compile });
  const dir = path.resolve(options.dir);
  await claimFolder(dir);
  await writeProgram(dir);
  const { signal, abort, release } = startLimit(options.signal);
  const processes = await Processes.open(dir);
  const httpServers: HttpServer[] = [];
  const stop = once(async () => {
    await Promise.all([...httpServers.map((server) => server.close()), processes.stop()]);
  });
  try {
    const parts = await startParts({ dir, tools, processes, httpServers, signal, abort, say }, options.members);
    return { ...parts, stop };
  } catch (error: unknown) {
    await stop();
    throw error;
  } finally {
    release();
  }
}
