import type { Application } from '#api/v1alpha1/application.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { describeObject } from '#lib/net/urls.js';
import { targetsOf } from './memory.js';
import { clusterView } from './clusters.js';
import type { Deps } from './deps.js';
import { BY_OFFER, BY_OWNER, offerValue } from './mappings.js';
import { describeChild } from './model/child/messages.js';
import { isAdoptable, isOwned } from './model/child/metadata.js';
import type { Child, Entry, Violation } from './model/child/types.js';
import { type World, worldOf } from './model/children/world.js';
import { withAbsences } from './model/clusters/leaving.js';
import { REMOVAL_DELAY_MS } from './model/clusters/removals.js';
import { releaseIndexValue } from './model/destinations/identity.js';
import type { SourceUse } from './model/destinations/template-use.js';
import { sourcesOfChild } from './model/sources/made-source.js';
import { INLINE_PATH, inlineOf } from './model/spec/flux-spec.js';
import { holdersOf, type ResolvedApplication } from './resolve.js';

/** Children of the Application, those that are offered to it, and those that hold a release that it wants. */
function childrenOf(application: Application, { children }: Deps, releases: ResolvedApplication['releases']): Child[] {
  const offered = offerValue(application.metadata.namespace, application.metadata.uid ?? '');
  const found = [
    ...children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata))),
    ...children.flatMap((cache) => cache.byIndex(BY_OFFER, offered)),
    ...[...releases.keys()].flatMap((value) => holdersOf(value, children)),
  ];
  return [...new Set(found)];
}

/** The holder of a release keeps it. If nobody holds it, the oldest valid Application that wants it gets it. */
function findOtherOwner(application: Application, deps: Deps, { claims }: ResolvedApplication, entry: Entry) {
  const value = releaseIndexValue(application.metadata.namespace ?? '', entry.release);
  const holders = holdersOf(value, deps.children);
  if (holders.some((child) => isOwned(child, application))) return undefined;
  const stranger = holders.find((child) => !isAdoptable(child, application));
  if (stranger !== undefined) return describeChild(stranger);
  const other = deps.reservations.otherOwner(application, value) ?? claims.get(value);
  return other === undefined ? undefined : `Application ${keyOf(other.metadata)}`;
}

function isWatched({ rules }: Deps, { ref }: SourceUse): boolean {
  return rules.watchedNamespace === undefined || rules.watchedNamespace === ref.namespace;
}

/** The Secrets of an inline source that do not exist. */
function missingCredentials(application: Application, { secrets }: Deps): string[] {
  const { namespace } = application.metadata;
  const { secretRef, caSecretRef } = inlineOf(application) ?? {};
  return Object.entries({ secretRef, caSecretRef }).flatMap(([field, reference]) => {
    if (reference === undefined || secrets.get({ namespace, name: reference.name }) !== undefined) return [];
    return [`${INLINE_PATH}.${field}: Secret ${keyOf({ namespace, name: reference.name })} does not exist: create it`];
  });
}

function missingSources(application: Application, deps: Deps, uses: readonly SourceUse[]): Violation | undefined {
  const { sources } = deps;
  // The source for an inline one comes with the Application; until then, its children say so.
  const missing = uses.filter(
    (use) => use.path !== INLINE_PATH && isWatched(deps, use) && sources.get(use.ref.kind)?.get(use.ref) === undefined,
  );
  const messages = missing.map(
    ({ ref, path }) => `${path}: ${describeObject(ref.kind, ref)} does not exist: create it, or correct the reference`,
  );
  messages.push(...missingCredentials(application, deps));
  return messages.length === 0 ? undefined : { reason: 'SourceNotFound', message: messages.join('; ') };
}

function unwatchedSources(deps: Deps, uses: readonly SourceUse[]): string | undefined {
  const unwatched = uses.filter((use) => !isWatched(deps, use)).map(({ ref }) => describeObject(ref.kind, ref));
  if (unwatched.length === 0) return undefined;
  const watched = deps.rules.watchedNamespace ?? '';
  return `${unwatched.join(', ')}: outside of ${watched}, the only namespace that this controller watches (--namespace); whether it exists is not checked`;
}

function missingSecret(application: Application, { secrets }: Deps, entry: Entry): string | undefined {
  const name = entry.kubeConfig?.secretRef?.name;
  // The credential of a cluster of the inventory is made once a child refers to it.
  if (name === undefined || entry.cluster !== undefined) return undefined;
  const ref = { namespace: application.metadata.namespace, name };
  if (secrets.get(ref) !== undefined) return undefined;
  return `${entry.path}.destination.kubeConfig.secretRef: Secret ${keyOf(ref)} does not exist: create it with the kubeconfig of the cluster`;
}

function chartOf({ status }: Child, { charts }: Deps): Child | undefined {
  const key = status?.helmChart;
  return key === undefined || key === '' ? undefined : charts.get(parseKey(key));
}

function madeSourceOf(child: Child, { made }: Deps): Child | undefined {
  return sourcesOfChild(child)
    .map((place) => made.get(place.kind)?.get(place))
    .find((source) => source !== undefined);
}

/** All other reads of one reconciliation, from caches and at one moment. */
export function observe(application: Application, resolved: ResolvedApplication, deps: Deps): World {
  const { validation } = resolved;
  const children = childrenOf(application, deps, resolved.releases);
  const sources = 'violation' in validation ? [] : validation.resolved.sources;
  const { namespace } = application.metadata;
  const key = keyOf(application.metadata);
  const clocks = { nowMs: deps.now(), steadyMs: deps.steadyNow() };
  return worldOf({
    application,
    validation,
    owned: children.filter((child) => isOwned(child, application)),
    adoptable: children.filter((child) => !isOwned(child, application) && isAdoptable(child, application)),
    clusters: withAbsences(clusterView(deps.inventory), (id) => deps.absences.whyUnknown(key, id)),
    unmatchedSince: deps.unmatched.since(key),
    countedLeftMs: deps.counted.leftMs(key, application.status?.removals?.counted ?? [], clocks),
    // A dry run shows what becomes of a child in the end.
    delayMs: asksForDryRun(application) ? 0 : (deps.rules.removalDelayMs ?? REMOVAL_DELAY_MS),
    ...clocks,
    isEngineExternal: deps.rules.isEngineExternal,
    revisions: resolved.revisions,
    isTaken: (name) => deps.children.some((cache) => cache.get({ namespace, name }) !== undefined),
    targets: targetsOf(application, deps),
    otherOwnerOf: (entry) => findOtherOwner(application, deps, resolved, entry),
    successorOf: ({ metadata }) => resolved.successors.get(metadata.uid ?? ''),
    missingOf: (entry) => missingSecret(application, deps, entry),
    chartOf: (child) => chartOf(child, deps),
    sourceOf: (child) => madeSourceOf(child, deps),
    missingSources: missingSources(application, deps, sources),
    unwatched: unwatchedSources(deps, sources),
    complete: deps.children.every(({ synced }) => synced),
  });
}
