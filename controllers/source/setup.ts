import { bucketResource } from '#api/flux/bucket.js';
import { externalArtifactResource, type ExternalArtifact } from '#api/flux/external-artifact.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KubeObject } from '#api/meta.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Run } from '#engine/process/run.js';
import {
  type Cache,
  type Change,
  type Controller,
  type Permission,
  type SetupContext,
  type Watch,
  isWorthAPass,
} from '#runtime/controller.js';
import { defined } from '#lib/plain.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { createLru } from '#lib/lru.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import { fetchBucket } from './bucket/fetch.js';
import { fetchGitRepository } from './git/fetch.js';
import { Mirrors } from './git/mirrors.js';
import { fetchHelmChart } from './helmchart/fetch.js';
import { fetchHelmRepository } from './helmrepository/fetch.js';
import { fetchOciRepository } from './oci/fetch.js';
import { artifactOwner, type Deps } from './deps.js';
import {
  SOURCE_TYPES,
  type Bucket,
  type GitRepository,
  type HelmChart,
  type HelmRepository,
  type OCIRepository,
  type Source,
  type FetchedKind,
} from './model/source.js';
import { reconcileSource, type SourceKind } from './pass.js';
import { artifactSweeper } from './artifact-cleanup.js';

export interface SourceDependencies {
  readonly store: ArtifactStore;
  readonly run: Run;
  readonly gitPath: string;
  /** Packages charts of Git repositories and buckets; default `helm` on the PATH. */
  readonly helmPath?: string;
  readonly dependencyRequeueMs: number;
  /** Used by git and for downloads. */
  readonly proxies: ProxySettings;
  /** trusted_root.json of Sigstore; default: keyless signatures are refused. */
  readonly trustedRootFile?: string | undefined;
  /** Part of every engine's setup; without effect here: sources refer to nothing outside of their namespace. */
  readonly allowCrossNamespace: boolean;
  /** Parallel reconciliations of each kind; default 4. */
  readonly concurrency?: number;
}

const { group } = helmChartResource;
const KINDS = SOURCE_TYPES.map(({ plural }) => plural);

/** Permissions on the host cluster. */
export const permissions: readonly Permission[] = [
  { group, resources: KINDS, verbs: ['get', 'list', 'watch', 'patch'] },
  { group, resources: KINDS.map((kind) => `${kind}/status`), verbs: ['patch'] },
  { group, resources: KINDS.map((kind) => `${kind}/finalizers`), verbs: ['update'] },
  { group: '', resources: ['secrets', 'serviceaccounts'], verbs: ['get'] },
  { group, resources: [externalArtifactResource.plural], verbs: ['get', 'list', 'watch'] },
];

const BY_SOURCE = 'helmchart.source';
const BY_INCLUDE = 'gitrepository.include';
const DEFAULT_CONCURRENCY = 4;
const INDEXES_REMEMBERED = 1_000;
const TOKENS_REMEMBERED = 1_000;
/** Cached archives: one chart is often released to many destinations at once. */
const ARCHIVE_BYTES_KEPT = 16 * 1024 * 1024;

function chartSources({ metadata, spec }: HelmChart): string[] {
  return [`${spec.sourceRef.kind}/${keyOf({ name: spec.sourceRef.name, namespace: metadata.namespace })}`];
}

function includesOf({ metadata, spec }: GitRepository): string[] {
  const names = (spec.include ?? []).map(({ repository }) => repository.name);
  return names.map((name) => keyOf({ name, namespace: metadata.namespace }));
}

/** What uses a source cares for its spec and artifact, not for its other status. */
function isNews(change: Change): boolean {
  // The watches that use this are on sources only.
  const contentOf = (object: KubeObject | undefined): string => {
    const { revision, digest } = (object as Source | undefined)?.status?.artifact ?? {};
    return `${revision} ${digest}`;
  };
  return isWorthAPass(change) || contentOf(change.object) !== contentOf(change.previous);
}

function createDeps(context: SetupContext, options: SourceDependencies): Deps {
  const { store, run, gitPath, dependencyRequeueMs, proxies } = options;
  return {
    ...{ kube: context.kube, events: context.events, now: context.now, offload: context.offload },
    ...{ store, run, gitPath, dependencyRequeueMs, proxies, helmPath: options.helmPath ?? 'helm' },
    trustedRootFile: options.trustedRootFile,
    repositories: {
      helm: context.cache<HelmRepository>(helmRepositoryResource),
      git: context.cache<GitRepository>(gitRepositoryResource),
      bucket: context.cache<Bucket>(bucketResource, { optional: true }),
    },
    mirrors: new Mirrors(store),
    indexDigests: createLru(INDEXES_REMEMBERED),
    indexVersions: createLru(INDEXES_REMEMBERED),
    githubTokens: createLru(TOKENS_REMEMBERED),
    temporaryKeys: createLru(TOKENS_REMEMBERED),
    archives: createLru(ARCHIVE_BYTES_KEPT, ({ length }) => length),
  };
}

/** Others publish ExternalArtifacts: all there is to do is to drop what was fetched of those that are gone. */
function externalArtifacts({ store }: Deps, cache: Cache<ExternalArtifact>): Controller {
  return {
    name: 'externalartifact',
    concurrency: 1,
    watches: [{ cache, toKeys: ({ type, object }) => (type === 'deleted' ? [keyOf(object.metadata)] : []) }],
    reconcile: async (key) => {
      const ref = parseKey(key);
      const metadata = { name: ref.name, namespace: ref.namespace ?? '' };
      if (cache.get(ref) === undefined)
        await store.remove(artifactOwner({ kind: externalArtifactResource.kind, metadata }));
      return {};
    },
  };
}

/** A kind of source: artifacts of its deleted objects are swept by the cache. */
interface Fetched {
  readonly cache: Cache<Source>;
  readonly controller: Controller;
}

function controllersWith(deps: Deps, concurrency: number) {
  return <T extends Source>(
    cache: Cache<T>,
    fetch: SourceKind<T>['fetch'],
    watches: readonly Watch[] = [],
  ): Fetched => {
    const own: Watch = { cache, toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []) };
    const controller: Controller = {
      name: cache.type.kind.toLowerCase(),
      concurrency,
      watches: [own, ...watches],
      reconcile: (key, pass) => reconcileSource(deps, { cache, fetch }, key, pass),
    };
    return { cache, controller };
  };
}

/** The source controllers of the embedded engine. */
export function sourceControllers(context: SetupContext, options: SourceDependencies): Controller[] {
  const deps = createDeps(context, options);
  const charts = context.cache<HelmChart>(helmChartResource, { indexes: { [BY_SOURCE]: chartSources } });
  const chartsOf = (change: Change): string[] => {
    if (!isNews(change)) return [];
    const source = `${change.object.kind}/${keyOf(change.object.metadata)}`;
    return charts.byIndex(BY_SOURCE, source).map(({ metadata }) => keyOf(metadata));
  };
  const fetchedBy = controllersWith(deps, options.concurrency ?? DEFAULT_CONCURRENCY);
  const { git, helm, bucket } = deps.repositories;
  const oci = context.cache<OCIRepository>(ociRepositoryResource, { optional: true });
  const external = context.cache<ExternalArtifact>(externalArtifactResource, { optional: true });
  const includers = context.cache<GitRepository>(gitRepositoryResource, { indexes: { [BY_INCLUDE]: includesOf } });
  const includersOf = (change: Change): string[] => {
    if (!isNews(change)) return [];
    return includers.byIndex(BY_INCLUDE, keyOf(change.object.metadata)).map(({ metadata }) => keyOf(metadata));
  };
  const repositories = Object.values(deps.repositories);
  const fetched: Readonly<Record<FetchedKind, Fetched>> = {
    GitRepository: fetchedBy(git, fetchGitRepository, [{ cache: git, toKeys: includersOf }]),
    HelmRepository: fetchedBy(helm, fetchHelmRepository),
    OCIRepository: fetchedBy(oci, fetchOciRepository),
    Bucket: fetchedBy(bucket, fetchBucket),
    HelmChart: fetchedBy(
      charts,
      fetchHelmChart,
      repositories.map((cache) => ({ cache, toKeys: chartsOf })),
    ),
  };
  const caches = [...Object.values(fetched).map(({ cache }) => cache), external];
  return [
    ...Object.values(fetched).map(({ controller }) => controller),
    externalArtifacts(deps, external),
    artifactSweeper({ ...deps, kinds: caches.map((cache) => ({ type: cache.type, cache })) }),
  ];
}

/** Kind of the owner of artifacts of charts without a HelmChart, so that they never belong to an existing one. */
const UNWRITTEN = 'UnwrittenHelmChart';

/** Fetches the chart that a HelmChart would have, and keeps it until it is disposed of. */
export function chartFetcher(context: SetupContext, options: SourceDependencies) {
  const deps = createDeps(context, options);
  return async (desired: HelmChart, signal: AbortSignal) => {
    const chart = { ...desired, kind: UNWRITTEN };
    const { artifact } = (await fetchHelmChart(deps, chart, { signal })).fields;
    const dispose = (): Promise<void> => deps.store.remove(artifactOwner(chart));
    const status = defined({ artifact, observedGeneration: desired.metadata.generation });
    return { source: { ...desired, status }, dispose };
  };
}
