import type { Application } from '../../api/v1alpha1/application.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { describeObject } from '../runtime/pure/urls.js';
import type { Surroundings } from './context.js';
import { BY_OWNER, BY_RELEASE } from './mappings.js';
import { backendOf } from './model/backends/index.js';
import { releaseIndexValue } from './model/identity.js';
import { describeChild } from './model/messages.js';
import { isAdoptable, isOwned } from './model/ownership.js';
import type { SourceUse } from './model/template-use.js';
import type { Child, Entry, Violation } from './model/types.js';

/** All that a pass knows, read at once. */
export interface Observed {
  readonly application: Application;
  /** Children of this very Application. */
  readonly owned: readonly Child[];
  /** Children that an entry may take over, but that are nobody's to delete. */
  readonly adoptable: readonly Child[];
  /** Names that other children of the namespace have. */
  readonly isTaken: (name: string) => boolean;
  /** Who else holds the release of an entry, as a text for people. */
  readonly rivalOf: (entry: Entry) => string | undefined;
  /** What an entry lacks outside of its child. */
  readonly lackOf: (entry: Entry) => string | undefined;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** The HelmChart that the engine made for a child. */
  readonly chartOf: (child: Child) => Child | undefined;
  /** The sources that do not exist. */
  readonly sourceLack: Violation | undefined;
  /** Sources of which nothing can be told, as a sentence. */
  readonly unseen: string | undefined;
  /** False while a cache of children is not filled: what looks unwanted may only be half read. */
  readonly complete: boolean;
}

function holdersOf(release: string, children: Surroundings['children']): Child[] {
  return children.flatMap((cache) => cache.byIndex(BY_RELEASE, release));
}

/** Children by owner, and those without one that are about a release that we want. */
function childrenOf(application: Application, { children }: Surroundings, wanted: readonly string[]): Child[] {
  const found = [
    ...children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata))),
    ...wanted.flatMap((value) => holdersOf(value, children)),
  ];
  return [...new Set(found)];
}

/** Who holds a release keeps it; of those that only want it, the oldest that would act on it gets it. */
function findRival(application: Application, surroundings: Surroundings, { claims }: Wanted, entry: Entry) {
  const value = releaseIndexValue(application.metadata.namespace ?? '', entry.release);
  const holders = holdersOf(value, surroundings.children);
  if (holders.some((child) => isOwned(child, application))) return undefined;
  const stranger = holders.find((child) => !isAdoptable(child, application));
  if (stranger !== undefined) return describeChild(stranger);
  const rival = surroundings.reservations.rival(application, value) ?? claims.get(value);
  return rival === undefined ? undefined : `Application ${keyOf(rival.metadata)}`;
}

function isSeen({ rules }: Surroundings, { ref }: SourceUse): boolean {
  return rules.watchedNamespace === undefined || rules.watchedNamespace === ref.namespace;
}

function missingSources(surroundings: Surroundings, uses: readonly SourceUse[]): Violation | undefined {
  const { sources } = surroundings;
  const missing = uses.filter(
    (use) => isSeen(surroundings, use) && sources.get(use.ref.kind)?.get(use.ref) === undefined,
  );
  if (missing.length === 0) return undefined;
  const messages = missing.map(
    ({ ref, path }) => `${path}: ${describeObject(ref.kind, ref)} does not exist: create it, or correct the reference`,
  );
  return { reason: 'SourceNotFound', message: messages.join('; ') };
}

function unseenSources(surroundings: Surroundings, uses: readonly SourceUse[]): string | undefined {
  const unseen = uses.filter((use) => !isSeen(surroundings, use)).map(({ ref }) => describeObject(ref.kind, ref));
  if (unseen.length === 0) return undefined;
  const watched = surroundings.rules.watchedNamespace ?? '';
  return `${unseen.join(', ')}: outside of ${watched}, the only namespace that this controller watches (--namespace); whether it exists is not checked`;
}

function lackOf(application: Application, surroundings: Surroundings, entry: Entry): string | undefined {
  return missingSecret(application, surroundings, entry) ?? backendOf(entry.release).whyIdle(surroundings);
}

function missingSecret(application: Application, { secrets }: Surroundings, entry: Entry): string | undefined {
  const name = entry.kubeConfig?.secretRef?.name;
  if (name === undefined) return undefined;
  const ref = { namespace: application.metadata.namespace, name };
  if (secrets.get(ref) !== undefined) return undefined;
  return `${entry.path}.destination.kubeConfig.secretRef: Secret ${keyOf(ref)} does not exist: create it with the kubeconfig of the cluster`;
}

function chartOf({ status }: Child, { charts }: Surroundings): Child | undefined {
  const key = status?.helmChart;
  return key === undefined || key === '' ? undefined : charts.get(parseKey(key));
}

/** What a pass looks for. */
interface Wanted {
  /** Index values of the releases of the entries. */
  readonly releases: readonly string[];
  /** Who has an older claim to one of them; see `olderClaims`. */
  readonly claims: ReadonlyMap<string, Application>;
  readonly sources: readonly SourceUse[];
}

/** Every read of one pass, from caches. */
export function observe(application: Application, surroundings: Surroundings, wanted: Wanted): Observed {
  const children = childrenOf(application, surroundings, wanted.releases);
  const { namespace } = application.metadata;
  return Object.freeze({
    application,
    owned: children.filter((child) => isOwned(child, application)),
    adoptable: children.filter((child) => !isOwned(child, application) && isAdoptable(child, application)),
    isTaken: (name: string) => surroundings.children.some((cache) => cache.get({ namespace, name }) !== undefined),
    rivalOf: (entry: Entry) => findRival(application, surroundings, wanted, entry),
    lackOf: (entry: Entry) => lackOf(application, surroundings, entry),
    lacksSecret: (entry: Entry) => missingSecret(application, surroundings, entry) !== undefined,
    chartOf: (child: Child) => chartOf(child, surroundings),
    sourceLack: missingSources(surroundings, wanted.sources),
    unseen: unseenSources(surroundings, wanted.sources),
    complete: surroundings.children.every(({ synced }) => synced),
  });
}
