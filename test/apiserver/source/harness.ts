import { expect } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Artifact } from '#api/flux/common.js';
import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource, type HelmChart } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import { secretResource } from '#api/core.js';
import type { Condition, KubeObject } from '#api/meta.js';
import { unpack } from '#engine/artifact/archive.js';
import { createArtifactStore, type ArtifactStoreOptions } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { run } from '#engine/process/run.js';
import { chartFetcher, sourceControllers } from '#controllers/source/setup.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import { startGitServer } from '#sandbox/git-server.js';
import { packageCharts, startHelmRepository } from '#sandbox/helm-repository.js';
import { commitFiles, seedRepository } from '#sandbox/servers/git-repository.js';
import type { World } from '#sandbox/world.js';
import { fixture } from '../../support/fixture.js';
import {
  conditionOf,
  expectReady,
  prepareCluster,
  runControllers,
  type RunningControllers,
} from '../../support/harness.js';
import { auditEntries, auditPosition, eventually, useWorld } from '../../support/world.js';

export { conditionOf };

const TYPES = {
  GitRepository: gitRepositoryResource,
  HelmRepository: helmRepositoryResource,
  HelmChart: helmChartResource,
  OCIRepository: ociRepositoryResource,
  Bucket: bucketResource,
} as const;
type Kind = keyof typeof TYPES;
/** Name of the git repository that the harness serves. */
const REPOSITORY = 'app';
const TAGGER = Object.fromEntries(
  ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'].map((name) => [name, 'test']),
);
const execute = promisify(execFile);

/** A source as these tests look at it. */
export interface SourceView extends KubeObject {
  spec: Record<string, unknown>;
  status?: {
    observedGeneration?: number;
    conditions?: Condition[];
    artifact?: Artifact;
    lastHandledReconcileAt?: string;
    observedValuesFiles?: string[];
  };
}

/** The disk of a controller that starts, and where it serves it. */
export interface DiskOptions extends Partial<Pick<ArtifactStoreOptions, 'root' | 'baseUrl' | 'quotaBytes'>> {
  readonly isEmpty?: boolean;
}

/** How a controller starts. */
export interface StartOptions extends DiskOptions {
  readonly trustedRootFile?: string;
}

/** The source controllers for real, on the host of the shared world, with a git and a Helm repository of their own. */
export interface Harness {
  readonly world: World;
  readonly host: Kube;
  readonly namespace: string;
  readonly store: ArtifactStore;
  readonly gitUrl: string;
  /** Folder of the bare repositories that are served next to the one at `gitUrl`. */
  readonly gitRoot: string;
  readonly helmUrl: string;
  /** Folder of the index and the archives at `helmUrl`. */
  readonly helmRoot: string;
  commit(files: Readonly<Record<string, string | Buffer | null>>): Promise<string>;
  /** Makes a commit of its own, committed at `time`, and tags it. Returns its id. */
  tag(name: string, time: string): Promise<string>;
  /** Packages charts into the Helm repository and indexes it again. */
  publish(...charts: { name: string; version: string; files?: Readonly<Record<string, string>> }[]): Promise<void>;
  apply(kind: Kind, name: string, spec: Record<string, unknown>): Promise<void>;
  /** Asks for a pass, and waits until it was made. */
  reconcile(kind: Kind, name: string): Promise<SourceView>;
  read(kind: Kind, name: string): Promise<SourceView | undefined>;
  /** Waits until `check` passes on the source as it is then, and the controllers know it so. */
  until(kind: Kind, name: string, check: (source: SourceView) => void): Promise<SourceView>;
  untilReady(kind: Kind, name: string): Promise<SourceView>;
  remove(kind: Kind, name: string): Promise<void>;
  /** Fetches the chart of a HelmChart that is not written. */
  fetchUnwritten(name: string, spec: Record<string, unknown>): ReturnType<ReturnType<typeof chartFetcher>>;
  /** Files of a stored tar.gz. */
  unpacked(artifact: Artifact | undefined): Promise<string>;
  /** Stops the controllers and starts them again, with the disk as it is by default. */
  restart(options?: StartOptions): Promise<void>;
  /** Mutating requests for the source of this name while `work` runs, and until no pass over it follows. */
  writesDuring(name: string, work: () => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** Chart.yaml and values.yaml of the smallest chart. */
export function chartFiles(name: string, version: string): Record<string, string> {
  return {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
    'values.yaml': 'color: blue\nsize: {width: 1, height: 2}\n',
    'templates/config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`,
  };
}

export async function createHarness(
  prefix: string,
  { proxies = {} }: { proxies?: ProxySettings } = {},
): Promise<Harness> {
  const world = await useWorld();
  const { kube: host, namespace } = await prepareCluster(world.host, prefix);
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-source-'));
  const gitRoot = path.join(dir, 'git');
  await seedRepository(gitRoot, REPOSITORY, path.join(dir, 'nothing'));
  const git = await startGitServer(gitRoot);
  const helmRoot = path.join(dir, 'helm');
  const helm = await startHelmRepository(helmRoot);
  const root = path.join(dir, 'store');
  const deps = {
    run,
    gitPath: 'git',
    helmPath: world.tools.helm,
    dependencyRequeueMs: 500,
    allowCrossNamespace: true,
    proxies,
  };
  const log = createLogger(process.env['FAIRLEAD_TEST_LOG'] ?? 'silent');
  let fetchChart: ReturnType<typeof chartFetcher> = () => Promise.reject(new Error('not set up yet'));
  const start = (options: StartOptions = {}): { store: ArtifactStore; controllers: RunningControllers } => {
    const { trustedRootFile, ...disk } = options;
    const store = createArtifactStore({ root, baseUrl: 'http://127.0.0.1', ...disk });
    const controllers = runControllers({ kube: host, log, namespace, follow: Object.values(TYPES) }, [
      (context) => {
        fetchChart = chartFetcher(context, { ...deps, store });
        return sourceControllers(context, { ...deps, store, trustedRootFile });
      },
    ]);
    return { store, controllers };
  };
  let { store, controllers } = start();
  let scratches = 0;
  let requests = 0;

  const harness: Harness = {
    world,
    host,
    namespace,
    get store() {
      return store;
    },
    gitRoot,
    gitUrl: `${git.origin}/${REPOSITORY}.git`,
    helmUrl: `${helm.origin}/charts`,
    helmRoot,
    commit: (files) => commitFiles(gitRoot, REPOSITORY, { files, message: 'Change' }),
    async tag(name, time) {
      const env = {
        ...process.env,
        ...TAGGER,
        GIT_DIR: path.join(gitRoot, `${REPOSITORY}.git`),
        GIT_COMMITTER_DATE: time,
      };
      const { stdout } = await execute('git', ['commit-tree', 'main^{tree}', '-m', name], { env });
      await execute('git', ['update-ref', `refs/tags/${name}`, stdout.trim()], { env });
      return stdout.trim();
    },
    async publish(...charts) {
      const folder = path.join(dir, `charts-${(scratches += 1)}`);
      for (const { name, version, files } of charts) {
        await writeFiles(path.join(folder, `${name}-${version}`), { ...chartFiles(name, version), ...files });
      }
      await packageCharts({ helm: world.tools.helm, charts: folder, root: helmRoot, home: dir });
    },
    async apply(kind, name, spec) {
      const { group, version } = TYPES[kind];
      const object = {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name, namespace },
        spec: { interval: '1h', ...spec },
      };
      await host.apply(TYPES[kind], object, { fieldManager: 'test', force: true });
    },
    async reconcile(kind, name) {
      const requestedAt = `request-${(requests += 1)}`;
      const annotations = { 'reconcile.fluxcd.io/requestedAt': requestedAt };
      await host.patch(TYPES[kind], { name, namespace }, { type: 'merge', body: { metadata: { annotations } } });
      return harness.until(kind, name, ({ status }) => {
        if (status?.lastHandledReconcileAt !== requestedAt) throw new Error('the request was not handled');
      });
    },
    read: (kind, name) => host.get<SourceView>(TYPES[kind], { name, namespace }),
    async until(kind, name, check) {
      const found = await eventually(async () => {
        const source = await harness.read(kind, name);
        if (source === undefined) throw new Error(`${kind} ${name} does not exist`);
        check(source);
        return source;
      });
      // What is built from it next is not built from what it was before.
      await controllers.untilSeen(found);
      return found;
    },
    untilReady: (kind, name) => harness.until(kind, name, expectReady),
    async remove(kind, name) {
      await host.delete(TYPES[kind], { name, namespace });
      await eventually(async () => {
        if ((await harness.read(kind, name)) !== undefined) throw new Error(`${kind} ${name} still exists`);
      });
    },
    fetchUnwritten(name, spec) {
      const chart = {
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'HelmChart',
        metadata: { name, namespace },
        spec,
      };
      // As the tests write it, with what the test is about.
      return fetchChart(chart as unknown as HelmChart, AbortSignal.timeout(60_000));
    },
    async unpacked(artifact) {
      const file = artifact && (await store.locate(artifact));
      if (file === undefined) throw new Error('the artifact is not in the store');
      const folder = path.join(dir, `unpacked-${(scratches += 1)}`);
      await unpack(file, folder);
      return folder;
    },
    async restart(options = {}) {
      await controllers.stop();
      if (options.isEmpty === true) await rm(root, { recursive: true });
      ({ store, controllers } = start(options));
    },
    async writesDuring(name, work) {
      await controllers.passes.atRest({ name, namespace });
      const since = await auditPosition(world.host);
      await work();
      await controllers.passes.atRest({ name, namespace });
      const entries = await auditEntries(world.host, since);
      const ours = entries.filter(({ objectRef }) => objectRef?.namespace === namespace && objectRef.name === name);
      return ours.map(({ verb, requestURI }) => `${verb} ${requestURI}`);
    },
    async close() {
      await controllers.stop();
      await Promise.all([host.close(), git.close(), helm.close()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
  return harness;
}

/** Asserts that a source whose Secret was deleted says so, and that its artifact stays. */
export async function expectSecretMissed(harness: Harness, kind: Kind, name: string, secret: string): Promise<void> {
  const { namespace, host } = harness;
  const { status } = await harness.untilReady(kind, name);
  await host.delete(secretResource, { name: secret, namespace });
  await harness.reconcile(kind, name);
  const message = expect.stringContaining(`Secret '${namespace}/${secret}' named by spec.secretRef does not exist`);
  const after = await harness.until(kind, name, (source) => {
    const facts = { status: 'False', reason: 'AuthenticationFailed', message };
    expect(conditionOf(source, 'Ready')).toMatchObject(facts);
  });
  expect(after.status?.artifact).toEqual(status?.artifact);
  const artifact = after.status?.artifact;
  expect(artifact && (await harness.store.locate(artifact))).toBeDefined();
}

/** A harness for the tests of a file. */
export function useHarness(...options: Parameters<typeof createHarness>): Harness {
  return fixture(
    () => createHarness(...options),
    (harness) => harness.close(),
  );
}
