import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namespaceResource } from '#api/core.js';
import { untilRunning } from '#bench/controller.js';
import { setUp, type Setup } from '#bench/scenarios/setup.js';
import type { Kube } from '#runtime/client/kube.js';
import { startDaemonWorld } from '#sandbox/daemon-world.js';
import { packageCharts } from '#sandbox/helm-repository.js';
import { identify } from '#sandbox/process-id.js';
import { commitFiles, seedRepository } from '#sandbox/servers/git-repository.js';
import type { Cluster, World } from '#sandbox/world.js';
import { selfSignedCertificate } from '../../support/certificate.js';
import { installClusterCrds } from '../../support/cluster-crds.js';
import { startLoneCluster, type LoneCluster } from '../../support/lone-cluster.js';
import { eventually, kubeFor } from '../../support/world.js';
import { PATHS, VERSIONS } from '../story/generate-applications.js';

/** Clusters besides the host, at most; stories with more of them are not played. */
export const MEMBERS = 4;
const CHARTS = ['podinfo', 'nginx'];
const COMMITS = 5;
/** The label of a release's object that says which version of the chart made it. */
export const VERSION_LABEL = 'version';
const TEMPLATE_REPOSITORY = 'story-files';

/** A real cluster, seen by its administrator. */
export interface RealCluster {
  readonly cluster: Cluster;
  readonly kube: Kube;
  /** UID of its namespace kube-system. */
  readonly uid: string;
}

/** Real servers for many stories, and the built controller on them. */
export interface Fleet {
  readonly world: World;
  readonly host: RealCluster;
  readonly members: readonly RealCluster[];
  /** The commits of every repository of files, the first one first. */
  readonly commits: readonly string[];
  /** Time of the last end of a restart. */
  readonly restartedAtMs: number;
  /** Kills the controller, does something, and starts another one; resolves when that one works. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Makes a git repository with all commits, at the first one. Returns its URL. */
  makeRepository(name: string): Promise<string>;
  /** Lets the branch of a repository be at one of the commits. */
  point(name: string, commit: string): Promise<void>;
  stop(): Promise<void>;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

function chartFiles(name: string, version: string): Record<string, string> {
  const object = {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: '{{ .Release.Name }}', labels: { [VERSION_LABEL]: version } },
    data: { chart: name, color: '{{ .Values.color }}' },
  };
  return {
    'Chart.yaml': JSON.stringify({ apiVersion: 'v2', name, version }),
    'values.yaml': JSON.stringify({ color: 'none' }),
    'templates/configmap.yaml': JSON.stringify(object),
  };
}

async function serveCharts(world: World, folder: string): Promise<void> {
  const charts = path.join(folder, 'charts');
  for (const name of CHARTS) {
    for (const version of VERSIONS)
      await writeFiles(path.join(charts, `${name}-${version}`), chartFiles(name, version));
  }
  const { dir, tools } = world;
  await packageCharts({ helm: tools.helm, charts, root: path.join(dir, 'charts'), home: dir });
}

/** The files of every path of stories, at one commit. */
function filesAt(commit: number): Record<string, string> {
  const entries = PATHS.flatMap((each): [string, string][] => {
    const name = path.basename(each);
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { commit: String(commit) } };
    return [
      [`${name}/kustomization.yaml`, JSON.stringify({ resources: ['configmap.yaml'] })],
      [`${name}/configmap.yaml`, JSON.stringify(object)],
    ];
  });
  return Object.fromEntries(entries);
}

async function commitAll(root: string, folder: string): Promise<string[]> {
  const first = path.join(folder, 'files');
  await writeFiles(first, filesAt(1));
  const commits = [await seedRepository(root, TEMPLATE_REPOSITORY, first)];
  for (let number = 2; number <= COMMITS; number += 1) {
    const change = { files: filesAt(number), message: `Commit ${number}` };
    commits.push(await commitFiles(root, TEMPLATE_REPOSITORY, change));
  }
  return commits;
}

async function realCluster(cluster: Cluster): Promise<RealCluster> {
  const kube = await kubeFor(cluster);
  const system = await kube.get(namespaceResource, { name: 'kube-system' });
  return { cluster, kube, uid: system?.metadata.uid ?? '' };
}

/** The parts of a fleet that only the fleet itself uses. */
interface Parts {
  readonly commits: readonly string[];
  readonly setup: Setup;
  readonly lone: readonly LoneCluster[];
  /** Goes with the fleet. */
  readonly folder: string;
}

/** A start takes minutes on a busy machine. */
async function untilWorking(setup: Setup): Promise<void> {
  await eventually(() => untilRunning(setup.controller));
}

class RunningFleet implements Fleet {
  restartedAtMs = 0;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  readonly #meanwhile: (() => Promise<void>)[] = [];

  constructor(
    readonly world: World,
    readonly host: RealCluster,
    readonly members: readonly RealCluster[],
    readonly parts: Parts,
  ) {}

  get commits(): readonly string[] {
    return this.parts.commits;
  }

  async restart(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.#meanwhile.push(meanwhile);
    // Several stories that ask for it at the same time share one restart; one that failed is no reason to try no other.
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(async () => {
        this.#next = undefined;
        await this.#restart(this.#meanwhile.splice(0));
      });
    this.#last = this.#next;
    await this.#next;
  }

  async #restart(meanwhile: readonly (() => Promise<void>)[]): Promise<void> {
    this.restartedAtMs = Infinity;
    await this.parts.setup.restart('kill', async () => {
      for (const work of meanwhile) await work();
    });
    await untilWorking(this.parts.setup);
    this.restartedAtMs = Date.now();
  }

  async makeRepository(name: string): Promise<string> {
    const root = path.join(this.world.dir, 'git');
    await cp(path.join(root, `${TEMPLATE_REPOSITORY}.git`), path.join(root, `${name}.git`), { recursive: true });
    const [first = ''] = this.commits;
    // Commits that the branch is not at must be reachable.
    await writeFile(path.join(root, `${name}.git`, 'refs/heads/all'), `${this.commits.at(-1) ?? ''}\n`);
    await this.point(name, first);
    return new URL(`${name}.git`, this.world.gitUrl).href;
  }

  async point(name: string, commit: string): Promise<void> {
    await writeFile(path.join(this.world.dir, 'git', `${name}.git`, 'refs/heads/main'), `${commit}\n`);
  }

  async stop(): Promise<void> {
    await this.parts.setup.stop();
    for (const { kube } of [this.host, ...this.members]) await kube.close();
    await Promise.all(this.parts.lone.map((member) => member.stop()));
    await this.world.stop();
    await rm(this.parts.folder, { recursive: true, force: true });
  }
}

/** Members have an API server only: nothing of a story needs more there. All that started are in `started`. */
async function startMembers(folder: string, started: LoneCluster[], count: number): Promise<RealCluster[]> {
  const { cert } = selfSignedCertificate('nobody', 'nobodies');
  const folders = Array.from({ length: count }, (_, index) => path.join(folder, `member-${index + 1}`));
  const starts = await Promise.allSettled(folders.map((each) => startLoneCluster(each, cert)));
  started.push(...starts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
  for (const each of starts) if (each.status === 'rejected') throw each.reason;
  return Promise.all(started.map(realCluster));
}

/** Where a fleet has its files, and how many members. */
interface Size {
  readonly folder: string;
  readonly count: number;
}

async function startOn(world: World, lone: LoneCluster[], { folder, count }: Size): Promise<Fleet> {
  const made = path.join(folder, 'made');
  await serveCharts(world, made);
  const commits = await commitAll(path.join(world.dir, 'git'), made);
  const host = await realCluster(world.host);
  const members = await startMembers(folder, lone, count);
  await installClusterCrds(host.kube, ['cluster-api-clusters']);
  const setup = await setUp(world, ['--concurrent', '8']);
  await untilWorking(setup);
  return new RunningFleet(world, host, members, { commits, setup, lone, folder });
}

/** Starts real servers, and the built controller on them. */
export async function startFleet(count = MEMBERS): Promise<Fleet> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fairlead-stories-'));
  const owner = await identify(process.pid);
  const dir = path.join(folder, 'world');
  const world = await startDaemonWorld({ dir, members: 0, ...(owner === undefined ? {} : { owner }) });
  const lone: LoneCluster[] = [];
  try {
    return await startOn(world, lone, { folder, count });
  } catch (error: unknown) {
    for (const member of lone) await member.stop();
    await world.stop();
    throw error;
  }
}

/** The text of a cluster's kubeconfig that leads through another port. */
export async function kubeconfigThrough({ cluster }: RealCluster, port: number): Promise<string> {
  const text = await readFile(cluster.kubeconfig, 'utf8');
  return text.replace(cluster.server, `https://127.0.0.1:${port}`);
}
