import type { Logger } from 'pino';
import { secretResource } from '#api/core.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import type { Members } from '../../engine/member/member.js';
import { createManagedWatches, type ManagedWatches } from '../../engine/watch/managed-watches.js';
import type { Run } from '../../engine/process/types.js';
import type { Change, Controller, Permission, SetupContext } from '../../runtime/controller.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { isWorthAPass } from '../shared/changes.js';
import type { KeptChart } from './chart-archive.js';
import { createChartCrds } from './chart-crds.js';
import type { Deps } from './deps.js';
import { createLru } from '../../runtime/pure/lru.js';
import { dependencyKeys } from '../shared/model/dependencies.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL } from '#api/flux/annotations.js';
import type { FetchChart, HelmChart, HelmRelease } from './model/types.js';
import { reconcile } from './reconcile.js';
import { createPostRender } from './post-render.js';
import { createRender } from './render.js';

export interface HelmReleaseDependencies {
  readonly members: Members;
  readonly store: ArtifactStore;
  readonly run: Run;
  readonly helmPath: string;
  readonly kustomizePath: string;
  readonly allowCrossNamespace: boolean;
  readonly defaultServiceAccount?: string | undefined;
  /** Absent: drift is noticed at the interval only. */
  readonly managed?: ManagedWatches | undefined;
  readonly dependencyRequeueMs: number;
  /** For dry runs. */
  readonly fetchChart: FetchChart;
  /** Concurrent reconciliations; default 4. */
  readonly concurrency?: number;
}

/** Permissions on the host cluster; the kubeconfig of a target cluster has its own. */
export const permissions: readonly Permission[] = [
  { group: 'helm.toolkit.fluxcd.io', resources: ['helmreleases'], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
  { group: 'helm.toolkit.fluxcd.io', resources: ['helmreleases/status'], verbs: ['get', 'patch', 'update'] },
  { group: 'helm.toolkit.fluxcd.io', resources: ['helmreleases/finalizers'], verbs: ['update'] },
  {
    group: 'source.toolkit.fluxcd.io',
    resources: ['helmcharts'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'update', 'delete'],
  },
  { group: '', resources: ['secrets', 'configmaps'], verbs: ['get', 'list', 'watch'] },
  // spec.serviceAccountName: always one of the release's own namespace.
  { group: '', resources: ['serviceaccounts'], verbs: ['get', 'impersonate'] },
];

const HOOK_ANNOTATION = 'helm.sh/hook';
const BY_SECRET = 'helmrelease.kubeConfigSecret';
const BY_CHART = 'helmrelease.chart';
const BY_DEPENDENCY = 'helmrelease.dependency';
/** Limit for the JSON of cached charts. */
const CHART_BYTES_KEPT = 48 * 1024 * 1024;
const DEFAULT_CONCURRENCY = 4;

function kubeConfigSecrets({ metadata, spec }: HelmRelease): string[] {
  const name = spec.kubeConfig?.secretRef?.name;
  return name === undefined ? [] : [keyOf({ name, namespace: metadata.namespace })];
}

function referencedCharts({ metadata, spec }: HelmRelease): string[] {
  const { chartRef } = spec;
  return chartRef === undefined
    ? []
    : [keyOf({ name: chartRef.name, namespace: chartRef.namespace ?? metadata.namespace })];
}

function ownersOf({ metadata: { labels = {} } }: KubeObject): string[] {
  const [name, namespace] = [labels[ORIGIN_NAME_LABEL], labels[ORIGIN_NAMESPACE_LABEL]];
  return name === undefined || namespace === undefined ? [] : [keyOf({ name, namespace })];
}

/** The release that an object on a target cluster belongs to; hooks are not watched. */
function ownerOfManaged({ object, previous }: Change): string | undefined {
  if (object.metadata.annotations?.[HOOK_ANNOTATION] !== undefined) return undefined;
  return [object, ...(previous === undefined ? [] : [previous])].flatMap(ownersOf)[0];
}

/** Watches on objects of releases in target clusters; the caller closes them. */
export function releaseWatches(log: Logger): ManagedWatches {
  return createManagedWatches({ label: ORIGIN_NAME_LABEL, ownerOf: ownerOfManaged, log });
}

function keysOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => keyOf(metadata));
}

function keysOfManaged(change: Change): string[] {
  const owner = ownerOfManaged(change);
  return owner === undefined ? [] : [owner];
}

/** The HelmRelease controller of the embedded engine. */
export function helmReleaseControllers(context: SetupContext, options: HelmReleaseDependencies): Controller[] {
  const releases = context.cache<HelmRelease>(helmReleaseResource, {
    indexes: { [BY_SECRET]: kubeConfigSecrets, [BY_CHART]: referencedCharts, [BY_DEPENDENCY]: dependencyKeys },
  });
  const charts = context.cache<HelmChart>(helmChartResource);
  const secrets = context.cache(secretResource, { metadataOnly: true });
  const { members, store, run, helmPath, allowCrossNamespace, defaultServiceAccount, dependencyRequeueMs } = options;
  const scratch = (prefix: string): ReturnType<ArtifactStore['scratch']> => store.scratch(prefix);
  const deps: Deps = {
    kube: context.kube,
    events: context.events,
    now: context.now,
    offload: context.offload,
    releases,
    charts,
    members,
    managed: options.managed,
    fetchChart: options.fetchChart,
    store,
    postRender: createPostRender({ run, kustomizePath: options.kustomizePath, scratch }),
    chartCrds: createChartCrds({ run, helmPath, scratch, offload: context.offload }),
    render: createRender({ run, helmPath, scratch }),
    chartArchives: createLru<KeptChart>(CHART_BYTES_KEPT, ({ size }) => size),
    settings: { allowCrossNamespace, defaultServiceAccount, dependencyRequeueMs },
  };
  const dependants = (key: string): string[] => keysOf(releases.byIndex(BY_DEPENDENCY, key));
  const controller: Controller = {
    name: 'helmrelease',
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    watches: [
      {
        cache: releases,
        toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []),
      },
      { cache: releases, toKeys: ({ object }) => dependants(keyOf(object.metadata)) },
      {
        cache: charts,
        toKeys: ({ object }) => [...ownersOf(object), ...keysOf(releases.byIndex(BY_CHART, keyOf(object.metadata)))],
      },
      { cache: secrets, toKeys: ({ object }) => keysOf(releases.byIndex(BY_SECRET, keyOf(object.metadata))) },
      ...(options.managed === undefined ? [] : [{ cache: options.managed, toKeys: keysOfManaged }]),
    ],
    reconcile: (key, pass) => reconcile(deps, key, pass),
  };
  return [controller];
}
