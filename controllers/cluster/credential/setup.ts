import { namespaceResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { clusterGrantResource, type ClusterGrant } from '#api/v1alpha1/cluster-grant.js';
import type { Cache, Change, Controller, Permission, SetupContext, Watch } from '#runtime/controller.js';
import type { Fence } from '#runtime/client/fence.js';
import { keyOf } from '#lib/kube/keys.js';
import { clusterCaches, clusterWatches, inventoryOf, type ClusterCaches } from '../inventory.js';
import type { Cluster } from '../model/cluster.js';
import { grantsCluster, grantsNamespace, isNewsOfGrant, readGrants, type Grant } from '../model/grant.js';
import { ClusterIndex } from './cluster-index.js';
import type { Deps, Referring } from './deps.js';
import { Failures } from './failures.js';
import { MemberTurns } from './member-turns.js';
import {
  BY_CREDENTIAL,
  BY_NAME,
  clusterToKeys,
  credentialKeys,
  grantToKeys,
  madeNames,
  namespaceToKeys,
  referringToKeys,
  secretToKeys,
} from './mappings.js';
import { reconcileGrant } from './reconcile-grant.js';
import { reconcileCredential } from './reconcile.js';

/** Each waits for the answer of a cluster. */
const CONCURRENCY = 16;
/** Of them for clusters that are not known to answer. */
const TRIALS = 8;
/** A label or a Secret that changes ten times a second costs one request for a token in this time. */
const DEBOUNCE_MS = 1_000;

/** Permissions on the host cluster; tokens are requested with the credentials of the inventory. */
export const permissions: readonly Permission[] = [
  { group: clusterGrantResource.group, resources: ['clustergrants'], verbs: ['get', 'list', 'watch'] },
  { group: clusterGrantResource.group, resources: ['clustergrants/status'], verbs: ['update'] },
  ...[helmReleaseResource, kustomizationResource].map(({ group, plural }) => ({
    group,
    resources: [plural],
    verbs: ['get', 'list', 'watch'],
  })),
  // Kubeconfigs are made in any namespace that a grant names.
  { group: '', resources: ['secrets'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: '', resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
];

export interface CredentialOptions {
  readonly controllerNamespace: string;
  /** The only namespace that the process reads; undefined: all. */
  readonly namespace?: string | undefined;
  /** Accept kubeconfigs with `insecure-skip-tls-verify`; default false. */
  readonly allowInsecure?: boolean;
  readonly fence?: Fence | undefined;
}

function referringCache(context: SetupContext, type: ResourceType, isOptional: boolean): Cache<Referring> {
  return context.cache<Referring>(type, { indexes: { [BY_CREDENTIAL]: credentialKeys }, optional: isOptional });
}

function depsOf(context: SetupContext, caches: ClusterCaches, options: CredentialOptions): Deps {
  const { kube, events, now } = context;
  const { controllerNamespace, allowInsecure = false, fence } = options;
  const referring = [
    referringCache(context, helmReleaseResource, false),
    referringCache(context, kustomizationResource, true),
  ];
  const hadObjects = new Set<Cache<Referring>>();
  for (const cache of referring) cache.onChange(() => hadObjects.add(cache));
  return {
    ...{ kube, events, now, controllerNamespace, allowInsecure, fence },
    clusters: new ClusterIndex(inventoryOf(caches)),
    // Not optional: while its CRD is missing it is not synced, and nothing is taken away.
    grants: context.cache<ClusterGrant>(clusterGrantResource, { mayFail: true }),
    ...{ referring, hadObjects },
    secrets: context.cache(secretResource, { metadataOnly: true, indexes: { [BY_NAME]: madeNames } }),
    namespaces: context.cache(namespaceResource, { metadataOnly: true }),
    failures: new Failures(),
    turns: new MemberTurns({ trials: TRIALS, now: () => performance.now(), random: Math.random }),
  };
}

/** Erases the type of the objects: the runtime only passes them through. */
function watch<T extends KubeObject>(cache: Watch<T>['cache'], toKeys: Watch<T>['toKeys']): Watch {
  return { cache, toKeys };
}

function debounced(each: Watch): Watch {
  return { ...each, delayMs: () => DEBOUNCE_MS };
}

/** Who refers to a credential for the first time waits for it. */
function firstAtOnce(each: Watch): Watch {
  return { ...each, delayMs: (_key, { type }) => (type === 'added' ? 0 : DEBOUNCE_MS) };
}

function credentialController(deps: Deps, caches: ClusterCaches): Controller {
  const { referring, secrets, grants, namespaces, turns } = deps;
  return {
    name: 'clustercredential',
    concurrency: CONCURRENCY,
    watches: [
      watch(turns, ({ object }) => [keyOf(object.metadata)]),
      ...referring.map((cache) => firstAtOnce(watch(cache, (change) => referringToKeys(change, deps)))),
      ...[
        watch(secrets, (change) => secretToKeys(change, deps)),
        ...clusterWatches(caches, (before, after) => clusterToKeys(before, after, deps)),
        watch(grants, (change) => grantToKeys(change, deps)),
        watch(namespaces, (change) => namespaceToKeys(change, deps)),
      ].map(debounced),
    ],
    reconcile: (key, pass) => reconcileCredential(key, { ...deps, ...pass }),
  };
}

function grantController(deps: Deps, caches: ClusterCaches): Controller {
  const { grants, namespaces, failures, controllerNamespace } = deps;
  const names = (matches: (grant: Grant) => boolean): string[] =>
    readGrants(grants.list())
      .filter(matches)
      .map(({ name }) => name);
  const ofClusters = (...clusters: (Cluster | undefined)[]): string[] =>
    names((grant) => clusters.some((each) => each !== undefined && grantsCluster(grant, each, controllerNamespace)));
  const ofNamespace = ({ object, previous }: Change): string[] =>
    names((grant) =>
      [object, previous].some(
        (each) => each !== undefined && grantsNamespace(grant, each.metadata.name, each.metadata.labels ?? {}),
      ),
    );
  return {
    name: 'clustergrant',
    concurrency: 1,
    watches: [
      // Of several grants one comes first, so that a change of one changes what others say.
      watch<ClusterGrant>(grants, (change) =>
        isNewsOfGrant(change) ? grants.list().map(({ metadata }) => metadata.name) : [],
      ),
      watch(failures, ({ object }) => [object.metadata.name]),
      ...[...clusterWatches(caches, ofClusters), watch(namespaces, ofNamespace)].map(debounced),
    ],
    reconcile: (key, pass) => reconcileGrant(key, { ...deps, ...pass }),
  };
}

/** Keep the kubeconfigs of granted clusters, and report what grants grant. */
export function credentialControllers(context: SetupContext, options: CredentialOptions): Controller[] {
  const caches = clusterCaches(context, options.namespace);
  const deps = depsOf(context, caches, options);
  return [credentialController(deps, caches), grantController(deps, caches)];
}
