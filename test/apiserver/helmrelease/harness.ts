import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Artifact } from '#api/flux/common.js';
import { helmChartResource, type HelmChart } from '#api/flux/helm-chart.js';
import { helmReleaseResource, type HelmRelease } from '#api/flux/helm-release.js';
import { configMapResource } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { Member, Members } from '#engine/member/member.js';
import { createMembers } from '#engine/member/members.js';
import { run } from '#engine/process/run.js';
import { helmReleaseControllers, releaseWatches } from '#controllers/helmrelease/setup.js';
import type { FetchChart } from '#controllers/helmrelease/model/types.js';
import { externalArtifactFetcher } from '#controllers/source/externalartifact/fetch.js';
import { chartFetcher, sourceControllers } from '#controllers/source/setup.js';
import type { Controller, SetupContext } from '#runtime/controller.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { defined } from '#lib/plain.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import type { World } from '#sandbox/world.js';
import { erase } from '../../support/erase.js';
import { fixture } from '../../support/fixture.js';
import {
  expectReady,
  prepareCluster,
  readerOf,
  runControllers,
  type RunningControllers,
} from '../../support/harness.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import type { PassCounter } from '../../support/passes.js';
import { kubeFor, makeNamespace, useWorld } from '../../support/world.js';
import { writeChart, type ChartFiles } from './charts.js';

export { conditionOf } from '../../support/harness.js';

const execute = promisify(execFile);

const KUBECONFIG_SECRET = 'member';

/** Our controller for real, against the host and one member of the shared world, with charts of the test's own. */
export interface Harness {
  readonly world: World;
  readonly host: Kube;
  readonly member: Kube;
  /** The same name on the host (HelmReleases) and on the member (releases). */
  readonly namespace: string;
  /** Makes a chart version available, as a source would. */
  publish(name: string, version: string, files: ChartFiles): Promise<void>;
  /** The packaged chart that was published. */
  chartFile(name: string, version: string): string;
  /** Starts a controller. */
  start(concurrency?: number): Promise<RunningControllers>;
  /** Passes of the controller that was started last. */
  readonly passes: PassCounter;
  /** Waits until the events of that controller so far are written. */
  eventsWritten(): Promise<void>;
  /** Metrics of that controller, as Prometheus reads them. */
  metrics(): Promise<string>;
  /** Ends every controller that still runs. */
  stop(): Promise<void>;
  /** Writes a HelmRelease onto the member; `spec` is merged over the usual one. */
  apply(name: string, spec: PartialSpec): Promise<void>;
  read(name: string): Promise<HelmRelease>;
  /** Waits until `check` passes on the HelmRelease as it is then. */
  until(name: string, check: (release: HelmRelease) => void, timeoutMs?: number): Promise<HelmRelease>;
  untilReady(name: string): Promise<HelmRelease>;
  configMap(name: string): Promise<(Unstructured & { data?: Record<string, string> }) | undefined>;
  /** The real helm on the member, in the test's namespace. */
  helm(...args: string[]): Promise<string>;
  /** `helm install` of a published chart, as a user does by hand. */
  installByHelm(chart: string, version: string, release: string): Promise<void>;
  close(): Promise<void>;
}

type PartialSpec = Omit<Partial<HelmRelease['spec']>, 'chart' | 'kubeConfig'> & {
  /** Undefined: for a chartRef. */
  readonly chart?: HelmRelease['spec']['chart'] | undefined;
  /** Undefined: onto the host. */
  readonly kubeConfig?: HelmRelease['spec']['kubeConfig'] | undefined;
};

export interface HarnessOptions {
  /** Watch the objects of releases that look for drift. */
  readonly watchManaged?: boolean;
  /** What the controller's client is put behind, for the host and for every member; the test itself goes straight. */
  readonly through?: (kube: Kube) => Kube;
  readonly defaultServiceAccount?: string;
  /** Sources are fetched by their own controllers: nothing that is published reaches a release. */
  readonly sources?: boolean;
  /** Members over plain HTTP, too: behind a proxy that looks into the requests. */
  readonly allowInsecure?: boolean;
  /** What the controller has for the host; default: the administrator's client, as the test itself. Closed with it. */
  readonly identity?: (host: Kube, namespace: string) => Promise<Kube>;
  /** Default: what FAIRLEAD_TEST_LOG says, else nothing. */
  readonly log?: ReturnType<typeof createLogger>;
}

function chartStatus(chart: HelmChart, artifact: Artifact | undefined): NonNullable<HelmChart['status']> {
  const name = `${chart.spec.chart} ${chart.spec.version ?? ''}`;
  const facts =
    artifact === undefined
      ? { status: 'False' as const, reason: 'ChartPullError', message: `no chart ${name}` }
      : { status: 'True' as const, reason: 'ChartPullSucceeded', message: `pulled ${name}` };
  return {
    observedGeneration: chart.metadata.generation ?? 0,
    conditions: [{ type: 'Ready', ...facts, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    ...(artifact === undefined ? {} : { artifact }),
  };
}

/** What a source does in the eyes of a HelmRelease: gives each HelmChart the artifact that it asks for. */
function publisher(context: SetupContext, artifacts: ReadonlyMap<string, Artifact>): Controller {
  const charts = context.cache<HelmChart>(helmChartResource);
  return {
    name: 'publisher',
    concurrency: 1,
    watches: [{ cache: charts, toKeys: ({ object }) => [keyOf(object.metadata)] }],
    async reconcile(key) {
      const chart = charts.get(parseKey(key));
      if (chart === undefined || chart.status?.observedGeneration === chart.metadata.generation) return {};
      const status = chartStatus(chart, artifacts.get(`${chart.spec.chart}@${chart.spec.version ?? ''}`));
      const options = { subresource: 'status', fieldManager: 'publisher' } as const;
      await context.kube.patch(helmChartResource, chart.metadata, { type: 'merge', body: { status } }, options);
      return {};
    },
  };
}

/** The same for a HelmChart that is not written. */
function publishedChart(artifacts: ReadonlyMap<string, Artifact>): FetchChart {
  return (desired) => {
    const { chart, version = '' } = desired.spec;
    const { generation } = desired.metadata;
    const status = defined({ artifact: artifacts.get(`${chart}@${version}`), observedGeneration: generation });
    return Promise.resolve({ source: { ...desired, status }, dispose: () => Promise.resolve() });
  };
}

/** As `members`: the same one as long as its credential is the same. */
function membersThrough(members: Members, through: (kube: Kube) => Kube): Members {
  const known = new WeakMap<Member, Member>();
  return {
    close: () => members.close(),
    async get(ref, namespace, options) {
      const member = await members.get(ref, namespace, options);
      const wrapped = known.get(member) ?? { ...member, kube: through(member.kube) };
      known.set(member, wrapped);
      return wrapped;
    },
  };
}

export async function createHarness(prefix: string, options: HarnessOptions = {}): Promise<Harness> {
  const world = await useWorld();
  const memberCluster = world.members[0];
  if (memberCluster === undefined) throw new Error('the world has no member');
  const { kube: host, namespace } = await prepareCluster(world.host, prefix);
  const member = await kubeFor(memberCluster);
  await makeNamespace(member, namespace);
  await giveKubeconfig(host, { name: KUBECONFIG_SECRET, namespace }, memberCluster.kubeconfig);
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-helm-'));
  const store = createArtifactStore({ root: path.join(dir, 'store'), baseUrl: 'http://127.0.0.1' });
  const artifacts = new Map<string, Artifact>();
  const log = options.log ?? createLogger(process.env['FAIRLEAD_TEST_LOG'] ?? 'silent');
  const stops: (() => Promise<void>)[] = [];
  let started: RunningControllers | undefined;
  const running = (): RunningControllers => {
    if (started === undefined) throw new Error('no controller was started');
    return started;
  };

  const harness: Harness = {
    world,
    host,
    member,
    namespace,
    get passes() {
      return running().passes;
    },
    eventsWritten: () => running().eventsWritten(),
    metrics: () => running().metrics(),
    async publish(name, version, files) {
      const folder = await writeChart(dir, name, version, files);
      await execute(world.tools.helm, ['package', folder, '--destination', dir]);
      const file = `${name}-${version}.tgz`;
      const owner = { kind: 'helmchart', namespace, name };
      const artifact = await store.put(owner, file, version, (target) => copyFile(path.join(dir, file), target));
      artifacts.set(`${name}@${version}`, artifact);
      await rm(folder, { recursive: true });
    },
    chartFile: (name, version) => path.join(dir, `${name}-${version}.tgz`),
    async start(concurrency = 4) {
      const { through = (kube: Kube): Kube => kube, identity } = options;
      const own = await identity?.(host, namespace);
      const members = membersThrough(
        createMembers({ host: own ?? host, allowInsecure: options.allowInsecure === true }),
        through,
      );
      const managed = options.watchManaged === true ? releaseWatches(log) : undefined;
      const deps = {
        members,
        managed,
        defaultServiceAccount: options.defaultServiceAccount,
        store,
        fetchExternal: externalArtifactFetcher({ store, proxies: {} }),
        run,
        helmPath: world.tools.helm,
        kustomizePath: world.tools.kustomize,
        allowCrossNamespace: true,
        dependencyRequeueMs: 1_000,
        concurrency,
      };
      const sources = { ...deps, gitPath: 'git', proxies: {} };
      const controllers = runControllers({ kube: through(own ?? host), log, namespace }, [
        (context) => {
          const fetchChart = options.sources === true ? chartFetcher(context, sources) : publishedChart(artifacts);
          return helmReleaseControllers(context, { ...deps, fetchChart });
        },
        (context) => (options.sources === true ? sourceControllers(context, sources) : [publisher(context, artifacts)]),
      ]);
      const stop = async (): Promise<void> => {
        await controllers.stop();
        await managed?.close();
        await members.close();
        await own?.close();
      };
      stops.push(stop);
      started = { ...controllers, stop };
      return started;
    },
    async apply(name, spec) {
      const release = {
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        kind: 'HelmRelease',
        metadata: { name, namespace },
        spec: {
          interval: '10m',
          // Nobody waits for its end: pods may take long on a busy machine.
          timeout: '60s',
          releaseName: name,
          kubeConfig: { secretRef: { name: KUBECONFIG_SECRET } },
          chart: { spec: { chart: 'plain', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } } },
          ...spec,
        },
      };
      await host.apply(helmReleaseResource, release, { fieldManager: 'test', force: true });
    },
    ...readerOf<HelmRelease>(host, helmReleaseResource, namespace),
    untilReady(name) {
      return harness.until(name, expectReady);
    },
    configMap: (name) => member.get(configMapResource, { name, namespace }),
    async helm(...args) {
      const flags = ['--kubeconfig', memberCluster.kubeconfig, '--namespace', namespace];
      return (await execute(world.tools.helm, [...flags, ...args])).stdout;
    },
    async installByHelm(chart, version, release) {
      await harness.helm('install', release, path.join(dir, `${chart}-${version}.tgz`));
    },
    async stop() {
      for (const stop of stops.splice(0)) await stop();
    },
    async close() {
      await harness.stop();
      for (const type of [helmReleaseResource, helmChartResource]) await erase(host, type, namespace);
      await Promise.all([host.close(), member.close()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
  return harness;
}

interface FixtureOptions extends HarnessOptions {
  /** Published before the tests, each as 1.0.0. */
  readonly charts: Readonly<Record<string, ChartFiles>>;
  /** Of the controller that runs during all tests; 0: none, each test starts its own. */
  readonly concurrency?: number;
}

/** A harness for the tests of a file. */
export function useHarness(prefix: string, { charts, concurrency = 4, ...options }: FixtureOptions): Harness {
  const start = async (): Promise<Harness> => {
    const harness = await createHarness(prefix, options);
    try {
      await Promise.all(Object.entries(charts).map(([name, files]) => harness.publish(name, '1.0.0', files)));
      if (concurrency > 0) await harness.start(concurrency);
      return harness;
    } catch (error: unknown) {
      // Nobody else knows of it.
      await harness.close();
      throw error;
    }
  };
  return fixture(start, (harness) => harness.close());
}
