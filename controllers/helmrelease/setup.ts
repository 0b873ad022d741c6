import { kindsFor, SOURCE_RESOURCES } from '#api/flux/source-kinds.js';
import type { Logger } from 'pino';
import { secretResource } from '#api/core.js';
import { externalArtifactResource, type ExternalArtifact } from '#api/flux/external-artifact.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { RELEASE_HELD } from '#api/flux/conditions.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { ociRepositoryResource, type OCIRepository } from '#api/flux/oci-repository.js';
import type { KubeObject } from '#api/meta.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Members } from '#engine/member/member.js';
import { createManagedWatches, type ManagedWatches } from '#engine/watch/managed-watches.js';
import type { Run } from '#engine/process/run.js';
import {
  type Cache,
  type Change,
  type Controller,
  type Permission,
  type SetupContext,
  isWorthAPass,
} from '#runtime/controller.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import type { FetchExternal } from '#engine/flux/deps.js';
import { OWNER_PERMISSIONS } from '#engine/flux/installed.js';
import { dependencyKeys } from '#engine/flux/dependencies.js';
import { ORIGIN_NAMESPACE_LABEL, ORIGIN_NAME_LABEL } from '#api/flux/annotations.js';
import { currentTarget, desiredTarget, type ReleaseTarget } from '#engine/flux/model/release-target.js';
import { BY_TARGET } from './same-target.js';
import { leftTargets, TARGET_TAKEN, targetsOf, wantedTarget } from './model/same-target.js';
import { FirstMissed } from './model/missing.js';
import type { Deps } from './pass.js';
import { isNewsForReleases } from './model/helm-chart.js';
import type { ChartSource, FetchChart, HelmChart, HelmRelease } from './model/types.js';
import { reconcile } from './reconcile.js';
import { createRenderers } from './renderers.js';

export interface HelmReleaseDependencies {
  readonly members: Members;
  readonly store: ArtifactStore;
  readonly fetchExternal: FetchExternal;
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
  { group: 'helm.toolkit.fluxcd.io', resources: ['helmreleases'], verbs: ['get', 'list', 'watch', 'patch'] },
  { group: 'helm.toolkit.fluxcd.io', resources: ['helmreleases/status'], verbs: ['patch'] },
  { group: 'helm.toolkit.fluxcd.io', resources: ['helmreleases/finalizers'], verbs: ['update'] },
  {
    group: 'source.toolkit.fluxcd.io',
    resources: ['helmcharts'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: 'source.toolkit.fluxcd.io',
    resources: kindsFor('chartRefs').flatMap((kind) => (kind === 'HelmChart' ? [] : [SOURCE_RESOURCES[kind].plural])),
    verbs: ['get', 'list', 'watch'],
  },
  { group: '', resources: ['secrets', 'configmaps'], verbs: ['get', 'list', 'watch'] },
  // spec.serviceAccountName: always one of the release's own namespace.
  { group: '', resources: ['serviceaccounts'], verbs: ['get', 'impersonate'] },
  ...OWNER_PERMISSIONS,
];

const HOOK_ANNOTATION = 'helm.sh/hook';
const BY_SECRET = 'helmrelease.kubeConfigSecret';
const BY_SOURCE = 'helmrelease.source';
const BY_DEPENDENCY = 'helmrelease.dependency';
const BY_REFUSED = 'helmrelease.refused';
const DEFAULT_CONCURRENCY = 4;

function kubeConfigSecrets({ metadata, spec }: HelmRelease): string[] {
  const name = spec.kubeConfig?.secretRef?.name;
  return name === undefined ? [] : [keyOf({ name, namespace: metadata.namespace })];
}

function referencedSources({ metadata, spec }: HelmRelease): string[] {
  if (spec.chartRef === undefined) return [];
  const { kind, name, namespace = metadata.namespace } = spec.chartRef;
  return [`${kind}/${keyOf({ name, namespace })}`];
}

/** The namespace and name of a release in Helm's storage, on any cluster. */
function placeAt({ storageNamespace: namespace, releaseName: name }: ReleaseTarget): string {
  return keyOf({ namespace, name });
}

function placeOf(release: HelmRelease): string {
  return placeAt(desiredTarget(release));
}

/** The places of a HelmRelease by its spec and by its status. */
function placesOf(release: HelmRelease): string[] {
  return [placeOf(release), placeAt(currentTarget(release) ?? desiredTarget(release))];
}

/** Reasons of a release that was refused, and not its target. */
const REFUSED: readonly string[] = [RELEASE_HELD, 'StateError'];

/** The place or target of a release that this HelmRelease was refused, because another one may own it. */
function refusedPlaces(release: HelmRelease): string[] {
  const stalled = getCondition(release.status?.conditions, 'Stalled');
  if (stalled?.status !== 'True') return [];
  if (stalled.reason === TARGET_TAKEN) return [`target ${wantedTarget(release)}`];
  return REFUSED.includes(stalled.reason) ? [placeOf(release)] : [];
}

/** Things that a change leaves to others: a HelmRelease that is gone its record, and the targets that it has no more. */
function leftPlaces({ type, object, previous = object }: Change<HelmRelease>): string[] {
  const isGone = type === 'deleted';
  const targets = leftTargets(previous, isGone ? undefined : object).map((target) => `target ${target}`);
  const still = isGone ? [] : placesOf(object);
  return [...placesOf(previous).filter((place) => !still.includes(place)), ...targets];
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
  const reads = { labels: [ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL], annotations: [HOOK_ANNOTATION] };
  return createManagedWatches({ label: ORIGIN_NAME_LABEL, reads, ownerOf: ownerOfManaged, log });
}

function keysOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => keyOf(metadata));
}

function keysOfManaged(change: Change): string[] {
  const owner = ownerOfManaged(change);
  return owner === undefined ? [] : [owner];
}

function chartSourcesOf(context: SetupContext, charts: Cache<HelmChart>): Deps['chartSources'] {
  return {
    HelmChart: charts,
    OCIRepository: context.cache<OCIRepository>(ociRepositoryResource, { optional: true }),
    ExternalArtifact: context.cache<ExternalArtifact>(externalArtifactResource, { optional: true }),
  };
}

function createDeps(context: SetupContext, options: HelmReleaseDependencies): Deps {
  const { kube, events, now, offload } = context;
  const { members, managed, store, fetchChart, fetchExternal, run, helmPath, kustomizePath } = options;
  const { allowCrossNamespace, defaultServiceAccount, dependencyRequeueMs } = options;
  const charts = context.cache<HelmChart>(helmChartResource);
  return {
    ...createRenderers({ run, helmPath, kustomizePath, store, offload }),
    ...{ kube, events, now, members, managed, fetchChart, fetchExternal, charts },
    releases: context.cache<HelmRelease>(helmReleaseResource, {
      indexes: {
        ...{ [BY_SECRET]: kubeConfigSecrets, [BY_SOURCE]: referencedSources },
        ...{ [BY_DEPENDENCY]: dependencyKeys, [BY_REFUSED]: refusedPlaces, [BY_TARGET]: targetsOf },
      },
    }),
    chartSources: chartSourcesOf(context, charts),
    firstMissed: new FirstMissed(),
    settings: { allowCrossNamespace, defaultServiceAccount, dependencyRequeueMs },
  };
}

/** The HelmRelease controller of the embedded engine. */
export function helmReleaseControllers(context: SetupContext, options: HelmReleaseDependencies): Controller[] {
  const deps = createDeps(context, options);
  const { releases, charts, chartSources } = deps;
  const secrets = context.cache(secretResource, { metadataOnly: true });
  const dependants = (key: string): string[] => keysOf(releases.byIndex(BY_DEPENDENCY, key));
  const referring = ({ type, object, previous }: Change<ChartSource>): string[] => {
    if (type === 'updated' && previous !== undefined && !isNewsForReleases(object, previous)) return [];
    return keysOf(releases.byIndex(BY_SOURCE, `${object.kind}/${keyOf(object.metadata)}`));
  };
  const heirs = (change: Change<HelmRelease>): string[] =>
    leftPlaces(change).flatMap((place) => keysOf(releases.byIndex(BY_REFUSED, place)));
  const controller: Controller = {
    name: 'helmrelease',
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    watches: [
      {
        cache: releases,
        toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []),
      },
      { cache: releases, toKeys: ({ object }) => dependants(keyOf(object.metadata)) },
      { cache: releases, toKeys: heirs },
      { cache: charts, toKeys: ({ object }) => ownersOf(object) },
      ...Object.values(chartSources).map((cache) => ({ cache, toKeys: referring })),
      { cache: secrets, toKeys: ({ object }) => keysOf(releases.byIndex(BY_SECRET, keyOf(object.metadata))) },
      ...(options.managed === undefined ? [] : [{ cache: options.managed, toKeys: keysOfManaged }]),
    ],
    reconcile: (key, pass) => reconcile(deps, key, pass),
  };
  return [controller];
}
