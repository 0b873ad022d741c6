import uniqBy from 'lodash/uniqBy.js';
import { apiStatusOf, TerminalError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { parseInventoryEntry } from '#engine/member/model/inventory.js';
import { readLive } from '#engine/flux/objects.js';
import type { ActionContext } from './actions/context.js';
import {
  holdersOf,
  sharersOf,
  TARGET_TAKEN,
  targetText,
  isAtTarget,
  isSameCluster,
  wantedTarget,
  whyTaken,
} from './model/same-target.js';
import { lastRevision } from './model/release.js';
import type { HelmRelease } from './model/types.js';
import type { Pass } from './pass.js';
import type { ReleasePass } from './prepare.js';
import { originOf } from './storage.js';

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

/** Another HelmRelease that has what this one is about to uninstall, in words; undefined: none. */
export async function sharerOf(
  { release, releases }: Pick<Pass, 'release' | 'releases'>,
  context: ActionContext,
): Promise<string | undefined> {
  const { releaseName, namespace, storage } = context;
  const at = { releaseName, namespace, storageNamespace: storage.namespace };
  const sharers = sharersOf(release, at, releases.byIndex(BY_TARGET, targetText(at)));
  const found = await firstOnCluster(context, release, sharers);
  return found && `HelmRelease ${keyOf(found.metadata)}`;
}
