import isEqual from 'lodash/isEqual.js';
import pick from 'lodash/pick.js';
import type { Logger } from 'pino';
import { configMapResource, secretResource } from '#api/core.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Members } from '#engine/member/member.js';
import type { Run } from '#engine/process/run.js';
import { createManagedWatches, type ManagedWatches } from '#engine/watch/managed-watches.js';
import { type Change, type Controller, type Permission, type SetupContext, isWorthAPass } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import { Serial } from '#lib/serial.js';
import type { ApplyingSettings, FetchExternal } from '#engine/flux/deps.js';
import { OWNER_PERMISSIONS } from '#engine/flux/installed.js';
import { createBuild } from './build.js';
import type { Deps } from './pass.js';
import { ownerKeyOf } from './model/neighbours.js';
import { NAME_LABEL, NAMESPACE_LABEL } from './model/objects.js';
import { affectedBy, BY_DEPENDENCY, NEIGHBOUR_INDEXES } from './neighbours.js';
import { SOURCE_TYPES, sourceOf, type Source } from './model/sources.js';
import { reconcile } from './reconcile.js';

export interface KustomizationDependencies extends ApplyingSettings {
  readonly members: Members;
  readonly store: ArtifactStore;
  readonly fetchExternal: FetchExternal;
  readonly run: Run;
  readonly kustomizePath: string;
  /** Absent: drift is noticed at the interval only. */
  readonly managed?: ManagedWatches | undefined;
  /** Passes at the same time; default 4. */
  readonly concurrency?: number;
}

const { group, plural } = kustomizationResource;

/** What the host cluster must allow; a member's kubeconfig brings its own rights. */
export const permissions: readonly Permission[] = [
  { group, resources: [plural], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
  { group, resources: [`${plural}/status`], verbs: ['get', 'patch', 'update'] },
  { group, resources: [`${plural}/finalizers`], verbs: ['update'] },
  {
    group: 'source.toolkit.fluxcd.io',
    resources: SOURCE_TYPES.map((type) => type.plural),
    verbs: ['get', 'list', 'watch'],
  },
  { group: '', resources: ['secrets', 'configmaps'], verbs: ['get', 'list', 'watch'] },
  // spec.serviceAccountName: always one of the Kustomization's own namespace.
  { group: '', resources: ['serviceaccounts'], verbs: ['get', 'impersonate'] },
  ...OWNER_PERMISSIONS,
];

const BY_SECRET = 'kustomization.secret';
const BY_CONFIG_MAP = 'kustomization.configMap';
const BY_SOURCE = 'kustomization.source';
const WATCHED = 'reconcile.fluxcd.io/watch=Enabled';
const DEFAULT_CONCURRENCY = 4;

function variableSources({ metadata, spec }: Kustomization, kind: 'ConfigMap' | 'Secret'): string[] {
  const references = (spec.postBuild?.substituteFrom ?? []).filter((reference) => reference.kind === kind);
  return references.map(({ name }) => keyOf({ name, namespace: metadata.namespace }));
}

/** Secrets that a pass reads: kubeconfig, keys and variables. */
function referencedSecrets(kustomization: Kustomization): string[] {
  const { metadata, spec } = kustomization;
  const names = [spec.kubeConfig?.secretRef?.name, spec.decryption?.secretRef?.name];
  const own = names.flatMap((name) => (name === undefined ? [] : keyOf({ name, namespace: metadata.namespace })));
  return [...own, ...variableSources(kustomization, 'Secret')];
}

/** The Kustomization of an object that it keeps on a member, be it by the labels that the object had before. */
function ownerOfManaged({ object, previous }: Change): string | undefined {
  return [object, ...(previous === undefined ? [] : [previous])].map(ownerKeyOf).find((key) => key !== undefined);
}

/** Watches of what Kustomizations keep on members; the caller closes them. */
export function kustomizationWatches(log: Logger): ManagedWatches {
  const reads = { labels: [NAME_LABEL, NAMESPACE_LABEL] };
  return createManagedWatches({ label: NAME_LABEL, reads, ownerOf: ownerOfManaged, log });
}

/** Of a source only its artifact matters; that of others may be the same at another URL. */
function hasNewArtifact({ type, object, previous }: Change): boolean {
  const artifactOf = (source: Source | undefined) =>
    pick(source?.status?.artifact, 'digest', 'revision', 'url', 'path');
  return type !== 'updated' || !isEqual(artifactOf(object), artifactOf(previous));
}

function keysOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ metadata }) => keyOf(metadata));
}

function createDeps(context: SetupContext, options: KustomizationDependencies): Deps {
  const { kube, events, now, offload } = context;
  const { members, managed, store, fetchExternal, run, kustomizePath } = options;
  const { allowCrossNamespace, defaultServiceAccount, dependencyRequeueMs } = options;
  return {
    ...{ kube, events, now, offload, members, managed, fetchExternal },
    kustomizations: context.cache<Kustomization>(kustomizationResource, {
      optional: true,
      indexes: {
        [BY_SECRET]: referencedSecrets,
        [BY_CONFIG_MAP]: (kustomization) => variableSources(kustomization, 'ConfigMap'),
        [BY_SOURCE]: (kustomization) => [sourceOf(kustomization)],
        ...NEIGHBOUR_INDEXES,
      },
    }),
    sources: new Map(SOURCE_TYPES.map((type) => [type.kind, context.cache<Source>(type, { optional: true })])),
    build: createBuild({ store, offload, run, kustomizePath }),
    turns: new Serial(),
    settings: { allowCrossNamespace, defaultServiceAccount, dependencyRequeueMs },
  };
}

/** The Kustomization controller of the embedded engine. */
export function kustomizationControllers(context: SetupContext, options: KustomizationDependencies): Controller[] {
  const deps = createDeps(context, options);
  const { kustomizations, sources } = deps;
  const secrets = context.cache(secretResource, { metadataOnly: true });
  // A cluster may have very many ConfigMaps: as in Flux, a label says which ones matter.
  const configMaps = context.cache(configMapResource, { metadataOnly: true, labelSelector: WATCHED });
  const by = (index: string, { object }: Change): string[] =>
    keysOf(kustomizations.byIndex(index, keyOf(object.metadata)));
  const ofSource = ({ object: { kind, metadata } }: Change): string[] =>
    keysOf(kustomizations.byIndex(BY_SOURCE, `${kind}/${keyOf(metadata)}`));
  const heirs = (change: Change<Kustomization>): string[] => keysOf(affectedBy(kustomizations, change));
  return [
    {
      name: 'kustomization',
      concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
      watches: [
        {
          cache: kustomizations,
          toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []),
        },
        { cache: kustomizations, toKeys: (change) => by(BY_DEPENDENCY, change) },
        { cache: kustomizations, toKeys: heirs },
        ...[...sources.values()].map((cache) => ({
          cache,
          toKeys: (change: Change) => (hasNewArtifact(change) ? ofSource(change) : []),
        })),
        { cache: secrets, toKeys: (change) => by(BY_SECRET, change) },
        { cache: configMaps, toKeys: (change) => by(BY_CONFIG_MAP, change) },
        ...(options.managed === undefined
          ? []
          : [
              {
                cache: options.managed,
                toKeys: (change: Change) => [ownerOfManaged(change)].filter((key) => key !== undefined),
              },
            ]),
      ],
      reconcile: (key, context) => reconcile(deps, key, context),
    },
  ];
}
