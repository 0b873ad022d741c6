import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type GitRepository, gitRepositoryResource } from '#api/flux/git-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import { startGitServer } from '#sandbox/git-server.js';
import { commitFiles, seedRepository } from '#sandbox/servers/git-repository.js';
import { freePort } from '#sandbox/world/ports.js';
import { Processes } from '#sandbox/world/processes.js';
import type { World } from '#sandbox/world.js';
import { engineFlags, peakMiB, secondsUntilReady, withController } from './controller.js';
import { ratio } from './figures.js';
import { type Bench, forEach, secondsOf, withCrds } from './harness.js';
import { createNamespaces } from './objects.js';
import { type CountingProxy, startCountingProxy } from './scenarios/counting-proxy.js';
import { eventually } from './scenarios/eventually.js';
import { startFlux } from './scenarios/flux-controller.js';

const URLS = 5;
const WRITERS = 16;
const CONCURRENCY = 4;
const INTERVAL = '1m';
const LIMIT_MS = 1_800_000;
const LARGE = 'large';
const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';

interface Sizes {
  readonly repositories: number;
  readonly artifacts: number;
  readonly idleMs: number;
  readonly megabytes: number;
}

const SMALL: Sizes = { repositories: 50, artifacts: 20, idleMs: 60_000, megabytes: 32 };
const FULL: Sizes = { repositories: 500, artifacts: 100, idleMs: 300_000, megabytes: 256 };

interface Place {
  readonly world: World;
  readonly kube: Kube;
  readonly gitRoot: string;
  readonly sizes: Sizes;
  readonly namespace: string;
  /** In front of the servers, for this engine alone. */
  readonly git: CountingProxy;
  readonly registry: CountingProxy;
}

function nameOf(index: number): string {
  return `repository-${index}`;
}

function source(type: ResourceType, namespace: string, name: string, spec: object): KubeObject {
  const object = { apiVersion: `${type.group}/${type.version}`, kind: type.kind, metadata: { name, namespace } };
  return { ...object, spec: { interval: INTERVAL, ...spec } } as KubeObject;
}

function gitSource({ git, namespace }: Place, name: string, repository: string): KubeObject {
  const spec = { url: `${git.origin}/${repository}.git`, ref: { branch: 'main' }, interval: INTERVAL };
  return source(gitRepositoryResource, namespace, name, spec);
}

async function seconds(place: Place, type: ResourceType, objects: readonly KubeObject[]): Promise<number> {
  return secondsUntilReady({ kube: place.kube, type, namespace: place.namespace, objects });
}

/** Throws until each GitRepository has the newest commit of its repository. */
async function expectRevisions({ kube, namespace }: Place, commits: readonly string[]): Promise<void> {
  const { items } = await listAll<GitRepository>(kube, gitRepositoryResource, { namespace });
  const late = items.filter(({ metadata, status }) => {
    const commit = commits[Number(metadata.name.split('-')[1]) % URLS];
    return commit !== undefined && status?.artifact?.revision.endsWith(commit) !== true;
  });
  if (late.length > 0) throw new Error(`${late.length} GitRepositories are late`);
}

/** A commit in each repository, and a request to each of its GitRepositories, as webhooks send them. */
async function change(place: Place): Promise<Record<string, number>> {
  const { kube, namespace, gitRoot, sizes, git } = place;
  const files = { 'turn.yaml': `turn: ${randomBytes(4).toString('hex')}\n` };
  const urls = Array.from({ length: URLS }, (_, index) => nameOf(index));
  const commits = await Promise.all(urls.map((name) => commitFiles(gitRoot, name, { files, message: 'Turn' })));
  const before = git.counts();
  const startedAt = performance.now();
  const annotations = { [REQUESTED_AT]: randomBytes(4).toString('hex') };
  const body = { metadata: { annotations } };
  const ask = (index: number): Promise<unknown> =>
    kube.patch(gitRepositoryResource, { name: nameOf(index), namespace }, { type: 'merge', body });
  await forEach(sizes.repositories, ask, WRITERS);
  await eventually(() => expectRevisions(place, commits), { timeoutMs: LIMIT_MS, intervalMs: 500 });
  const after = git.counts();
  return {
    seconds: ratio(performance.now() - startedAt, 1_000),
    fetches: after.fetches - before.fetches,
    requests: after.requests - before.requests,
  };
}

/** Requests of each source in a minute in which nothing changes. */
async function idle({ git, registry, sizes }: Place): Promise<Record<string, number>> {
  const before = { git: git.counts().requests, registry: registry.counts().requests };
  await delay(sizes.idleMs);
  const minutes = sizes.idleMs / 60_000;
  return {
    gitPerSourceAndMinute: ratio(git.counts().requests - before.git, sizes.repositories * minutes),
    registryPerSourceAndMinute: ratio(registry.counts().requests - before.registry, sizes.artifacts * minutes),
  };
}

interface Round extends Record<string, unknown> {
  readonly idle: Record<string, number>;
}

/** What an engine needs that reconciles the sources of this namespace, and of no other. */
async function measureRound(place: Place): Promise<Round> {
  const { sizes, namespace, git, registry } = place;
  const repositories = Array.from({ length: sizes.repositories }, (_, index) =>
    gitSource(place, nameOf(index), nameOf(index % URLS)),
  );
  const chart = {
    ...{ url: `oci://${new URL(registry.origin).host}/charts/lighthouse`, insecure: true, ref: { semver: '*' } },
    layerSelector: { mediaType: CHART_LAYER, operation: 'copy' },
  };
  const artifacts = Array.from({ length: sizes.artifacts }, (_, index) =>
    source(ociRepositoryResource, namespace, `artifact-${index}`, chart),
  );
  const gitSeconds = await seconds(place, gitRepositoryResource, repositories);
  const first = git.counts().fetches;
  const ociSeconds = await seconds(place, ociRepositoryResource, artifacts);
  return { gitSeconds, firstFetches: first, ociSeconds, change: await change(place), idle: await idle(place) };
}

async function inPlace<T>(place: Omit<Place, 'git' | 'registry'>, work: (place: Place) => Promise<T>): Promise<T> {
  const { world, kube, gitRoot, namespace } = place;
  await createNamespaces(kube, namespace);
  const server = await startGitServer(gitRoot);
  const git = await startCountingProxy(server.origin);
  const registry = await startCountingProxy(`http://${world.registry}`);
  try {
    return await work({ ...place, git, registry });
  } finally {
    await Promise.all([git.close(), registry.close(), server.close()]);
  }
}

/** Flux's own controller, with as many sources at a time. */
async function measureFlux(place: Place): Promise<Round> {
  const { world, namespace } = place;
  const processes = await Processes.open(path.join(world.dir, 'flux'));
  try {
    const address = `127.0.0.1:${await freePort()}`;
    const storage = path.join(world.dir, 'flux-storage');
    await mkdir(storage);
    const flags = [`--storage-path=${storage}`, `--storage-addr=${address}`, `--storage-adv-addr=${address}`];
    await startFlux({
      ...{
        controller: 'source-controller',
        cluster: world.host,
        processes,
        concurrency: CONCURRENCY,
        namespace,
        flags,
      },
      scratch: world.dir,
    });
    return await measureRound(place);
  } finally {
    await processes.stop();
  }
}

/** A large repository as an artifact, compared with git and gzip alone, which need no server. */
async function throughput(place: Place): Promise<Record<string, number>> {
  const { gitRoot, sizes } = place;
  const script = `git --git-dir "${path.join(gitRoot, `${LARGE}.git`)}" archive main | gzip > /dev/null`;
  const bareSeconds = await secondsOf(() => runCommand('sh', ['-c', script]));
  const ownSeconds = await seconds(place, gitRepositoryResource, [gitSource(place, LARGE, LARGE)]);
  return {
    megabytes: sizes.megabytes,
    megabytesPerSecond: ratio(sizes.megabytes, ownSeconds),
    bareMegabytesPerSecond: ratio(sizes.megabytes, bareSeconds),
    ratioTimeToBare: ratio(ownSeconds, bareSeconds),
  };
}

async function measureOwn(place: Place): Promise<Round> {
  return withController(place.world, engineFlags({ ...place, concurrency: CONCURRENCY }), async (controller) => {
    const round = await measureRound(place);
    return { ...round, throughput: await throughput(place), peakMiB: await peakMiB(controller) };
  });
}

/** Text that gzip halves, in files of a megabyte. */
async function writeLarge(folder: string, megabytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = (index: number): Promise<void> =>
    writeFile(path.join(folder, `${index}.txt`), randomBytes(512 * 1_024).toString('hex'));
  await forEach(megabytes, write, 4);
}

async function seedAll(world: World, sizes: Sizes): Promise<string> {
  const root = path.join(world.dir, 'bench-git');
  const folder = path.join(world.dir, 'bench-large');
  await writeLarge(folder, sizes.megabytes);
  await seedRepository(root, LARGE, folder);
  for (let index = 0; index < URLS; index += 1) {
    await seedRepository(root, nameOf(index), 'nothing');
    const files = { 'app.yaml': `name: ${index}\n` };
    await commitFiles(root, nameOf(index), { files, message: 'First' });
  }
  return root;
}

/** Sources of few URLs: fetches of a change, requests while idle, also those of Flux, and bytes per second. */
export const sourceBench: Bench = ({ full }) =>
  withCrds(async ({ world, kube }) => {
    const sizes = full ? FULL : SMALL;
    const place = { world, kube, sizes, gitRoot: await seedAll(world, sizes) };
    const engine = await inPlace({ ...place, namespace: 'bench-own' }, measureOwn);
    const flux = full ? await inPlace({ ...place, namespace: 'bench-flux' }, measureFlux) : undefined;
    const ratioOf = (field: string): number => ratio(engine.idle[field] ?? 0, flux?.idle[field] ?? 0);
    return {
      ...{ sizes: { urls: URLS, ...sizes }, concurrency: CONCURRENCY, interval: INTERVAL, engine },
      ...(flux === undefined
        ? {}
        : {
            flux,
            ratioIdleGitToFlux: ratioOf('gitPerSourceAndMinute'),
            ratioIdleRegistryToFlux: ratioOf('registryPerSourceAndMinute'),
          }),
    };
  });
