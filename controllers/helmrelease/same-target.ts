import uniqBy from 'lodash/uniqBy.js';
import { apiStatusOf, TerminalError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { groupedBy } from '#lib/plain.js';
import { parseInventoryEntry } from '#engine/member/model/inventory.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import { currentTarget } from '#engine/flux/model/release-target.js';
import { readLive } from '#engine/flux/objects.js';
import type { ActionContext } from './actions/context.js';
import {
  holdersOf,
  sharersOf,
  TARGET_TAKEN,
  targetText,
  isAtTarget,
  wantedTarget,
  whyTaken,
} from './model/same-target.js';
import { lastRevision, type StoredRevision } from './model/release.js';
import type { HelmRelease } from './model/types.js';
import type { Pass } from './pass.js';
import type { ReleasePass } from './prepare.js';
import { originOf, ReleaseStorage } from './storage.js';

/** Index of HelmReleases by target. */
export const BY_TARGET = 'helmrelease.target';

/** At most so many objects are read to find out whose they are: releases of one name mostly have the same ones. */
const MOST_READ = 10;

/** The HelmRelease that an object on the cluster says it is of; undefined: none, or it may not be read. */
async function originThere(context: ActionContext, release: HelmRelease): Promise<string | undefined> {
  const [entry] = release.status?.inventory?.entries ?? [];
  const target = entry && parseInventoryEntry(entry);
  if (target === undefined) return undefined;
  const { apiVersion, kind, name, namespace } = target;
  const object = { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
  const live = await readLive(context, object).catch((error: unknown) => {
    if (apiStatusOf(error)?.code !== 403) throw error;
  });
  return originOf(live?.metadata.labels ?? {});
}

/** The first of these that is on the cluster: by what both say of it, or by the labels of what is there. */
async function firstOnCluster(
  context: ActionContext,
  release: HelmRelease,
  holders: readonly HelmRelease[],
): Promise<HelmRelease | undefined> {
  const known = holders.find((other) => isSameCluster(release, other) === true);
  if (known !== undefined) return known;
  const unclear = holders.filter((other) => isSameCluster(release, other) === undefined);
  const byKey = new Map(unclear.map((other) => [keyOf(other.metadata), other]));
  const asked = uniqBy(unclear, ({ status }) => status?.inventory?.entries[0]?.id).slice(0, MOST_READ);
  for (const other of asked) {
    const found = byKey.get((await originThere(context, other)) ?? '');
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Another HelmRelease, with a record of its own, that keeps `release` from its target. */
function holderOf(
  { release, releases }: Pick<Pass, 'release' | 'releases'>,
  context: ActionContext,
): Promise<HelmRelease | undefined> {
  const holders = holdersOf(release, releases.byIndex(BY_TARGET, wantedTarget(release)));
  return firstOnCluster(context, release, holders);
}

/**
 * Throws TerminalError `TargetTaken` if another HelmRelease has the release that this one would install, with a record
 * in another namespace: both would apply the same objects, and the end of one would be the end of both. One that has
 * its release already goes on.
 */
export async function requireFreeTarget(pass: ReleasePass): Promise<void> {
  const { release, context } = pass;
  if (isAtTarget(release)) return;
  const holder = await holderOf(pass, context);
  if (holder === undefined) return;
  // A HelmRelease that was restored has no status.
  const last = lastRevision(await context.storage.revisions());
  if (last !== undefined && last.status !== 'uninstalled' && last.origin === keyOf(release.metadata)) return;
  throw new TerminalError(TARGET_TAKEN, whyTaken(release, holder));
}

/** The revisions of this release that a namespace of the cluster stores; undefined: they may not be read. */
async function revisionsIn(context: ActionContext, namespace: string): Promise<StoredRevision[] | undefined> {
  const { member } = context;
  const origin = { name: '', namespace: '' }; // nothing is written
  const storage = new ReleaseStorage({ ...context, kube: member.kube, namespace, origin });
  return storage.revisions().catch((error: unknown) => {
    if (apiStatusOf(error)?.code !== 403) throw error;
    return undefined;
  });
}

/**
 * Whether one of these, which all have their records in this namespace of their clusters, is on this cluster: Helm
 * keeps the records of a release next to it. A record without a HelmRelease may be that of any of them.
 */
async function storedThere(
  context: ActionContext,
  namespace: string,
  others: readonly [HelmRelease, ...HelmRelease[]],
): Promise<Sharer | undefined> {
  const revisions = await revisionsIn(context, namespace);
  if (revisions === undefined) return sharerIs(others[0], false);
  const last = lastRevision(revisions);
  if (last === undefined || last.status === 'uninstalled') return undefined;
  if (last.origin === undefined) return sharerIs(others[0], false);
  const found = others.find(({ metadata }) => keyOf(metadata) === last.origin);
  return found && sharerIs(found, true);
}

/** Another HelmRelease that applies the same objects, or may do so. */
export interface Sharer {
  /** In words. */
  readonly name: string;
  /** False: nothing tells whether it is on the same cluster. */
  readonly isSure: boolean;
}

function sharerIs({ metadata }: HelmRelease, isSure: boolean): Sharer {
  return { name: `HelmRelease ${keyOf(metadata)}`, isSure };
}

/** Another HelmRelease that has, or may have, what this one is about to uninstall; undefined: none. */
export async function sharerOf(
  { release, releases }: Pick<Pass, 'release' | 'releases'>,
  context: ActionContext,
): Promise<Sharer | undefined> {
  const { releaseName, namespace, storage } = context;
  const at = { releaseName, namespace, storageNamespace: storage.namespace };
  const sharers = sharersOf(release, at, releases.byIndex(BY_TARGET, targetText(at)));
  const known = await firstOnCluster(context, release, sharers);
  if (known !== undefined) return sharerIs(known, true);
  const unclear = sharers.filter((other) => isSameCluster(release, other) === undefined);
  const byStorage = [...groupedBy(unclear, (other) => currentTarget(other)?.storageNamespace ?? '')];
  let doubt: Sharer | undefined;
  for (const [index, [stored, [first, ...rest]]] of byStorage.entries()) {
    if (first === undefined) continue;
    const found = index < MOST_READ ? await storedThere(context, stored, [first, ...rest]) : sharerIs(first, false);
    if (found?.isSure === true) return found;
    doubt ??= found;
  }
  return doubt;
}
