import pick from 'lodash/pick.js';
import { RELEASE_HELD } from '#api/flux/conditions.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { CancelledError, ConflictError, ControllerError, TransientError } from '#lib/errors.js';
import { TerminalError, WaitingError } from '#lib/errors.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { defined } from '#lib/plain.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { report } from '#engine/flux/write-status.js';
import { currentTarget, desiredTarget, reasonToReplace, targetChange } from '#engine/flux/model/release-target.js';
import {
  claimOfHidden,
  claimOfLiving,
  claimOfLost,
  claimOfNamesake,
  claimOfOrphaned,
  claimOfOther,
  timeLeft,
  waitForOrphaned,
  type Claim,
} from './model/claim.js';
import { isPending, lastRevision, type ReleaseRecord, type StoredRevision } from './model/release.js';
import type { HelmRelease } from './model/types.js';
import { actionTimeoutMs } from './model/timing.js';
import type { ReleasePass } from './prepare.js';
import type { ActionContext } from './actions/context.js';
import { reasonText } from '#engine/member/member-failure.js';

const REASON = 'StateError';

function refuse(problem: string): never {
  throw new TerminalError(REASON, problem);
}

/**
 * Only HelmReleases of the same namespace may be looked up. Otherwise, a tenant could label a Secret to find out what
 * exists in other namespaces. Besides, another host may manage the same cluster, so a HelmRelease that does not exist
 * on this host may exist there.
 */
function isAskable({ release }: ReleasePass, origin: string): boolean {
  const { namespace, name } = parseKey(origin);
  return namespace === release.metadata.namespace && name !== '';
}

/** Asks the API server of the host. Only its NotFound proves that a HelmRelease is gone. */
async function exists({ kube, signal }: ReleasePass, { releaseName, last: { origin } }: Claim): Promise<boolean> {
  try {
    return (await kube.get(helmReleaseResource, parseKey(origin), { signal })) !== undefined;
  } catch (error: unknown) {
    if (!(error instanceof ControllerError) || error instanceof CancelledError) throw error;
    const message = `cannot tell whether HelmRelease ${origin}, to which release ${releaseName} belongs, still exists`;
    throw new TransientError(`${message}: ${reasonText(error)}`, { cause: error, reason: error.reason ?? REASON });
  }
}

async function readStored(
  { storage, releaseName }: ActionContext,
  { version }: StoredRevision,
): Promise<ReleaseRecord> {
  const stored = await storage.read(version);
  if (stored === undefined) throw new ConflictError(`release ${releaseName} changed while it was read`);
  return stored.record;
}

/** Throws WaitingError while an action that another one began may still run. */
function requireOver({ release, context }: ReleasePass, claim: Claim, { info }: ReleaseRecord): void {
  const running = { info, nowMs: context.now(), timeoutMs: actionTimeoutMs(release.spec, 'upgrade') };
  const retryAfterMs = timeLeft(running);
  if (retryAfterMs !== undefined)
    throw new WaitingError(RELEASE_HELD, waitForOrphaned(claim, running), { retryAfterMs });
}

/** Why an upgrade to the spec would replace the release; undefined: it would not. */
function whyReplaced({ release, inputs }: ReleasePass, { namespace, chart }: ReleaseRecord): string | undefined {
  const before = { target: { ...desiredTarget(release), namespace }, chartName: chart.metadata.name };
  return reasonToReplace(release, before, inputs.chart.metadata.name);
}

/** The release that the status has. */
function heldTarget({ release, status }: ReleasePass) {
  return currentTarget({ ...release, status: status.current });
}

async function requireFree(pass: ReleasePass, claim: Claim, last: StoredRevision): Promise<void> {
  const { release } = pass;
  const record = await readStored(pass.context, last);
  const replaces = whyReplaced(pass, record);
  const held = heldTarget(pass);
  const hadIt = held !== undefined && targetChange(held, desiredTarget(release)) === undefined;
  const problem = claimOfOrphaned({ ...claim, hadIt, replaces });
  if (problem !== undefined) refuse(problem);
  requireOver(pass, claim, record);
}

interface Continued {
  readonly context: ActionContext;
  readonly claim: Claim;
  readonly last: StoredRevision;
}

/** One that was created again knows nothing of the release that it continues: an upgrade must not replace that. */
async function requireSame(pass: ReleasePass, { context, claim, last }: Continued): Promise<void> {
  const isItsOwn = last.originUid === pass.release.metadata.uid || heldTarget(pass) !== undefined;
  if (isItsOwn || last.status === 'uninstalled') return;
  const replaces = whyReplaced(pass, await readStored(context, last));
  if (replaces !== undefined) refuse(claimOfOther(claim, replaces));
}

/** True if the newest revision is that of another HelmRelease of the same name, as on another host. */
export function isOfNamesake({ metadata }: Pick<HelmRelease, 'metadata'>, last: StoredRevision | undefined): boolean {
  if (last?.origin !== keyOf(metadata)) return false;
  return last.originUid !== undefined && last.originUid !== metadata.uid;
}

/**
 * Whether a release of this name is this HelmRelease's, or becomes so. Undefined for the release of another name, and
 * for a lost one that is uninstalled. Throws TerminalError `StateError` if a HelmRelease of the same name on another host
 * continues it, or if an upgrade would replace it, and WaitingError while its action may still run.
 */
async function namesakeClaim(
  pass: ReleasePass,
  context: ActionContext,
  last: StoredRevision | undefined,
): Promise<'own' | 'continued' | undefined> {
  const { release } = pass;
  const origin = keyOf(release.metadata);
  if (last?.origin !== origin) return undefined;
  const { releaseName, storage } = context;
  const whose = claimOfNamesake({ release, last });
  if (whose === 'lost' && last.status === 'uninstalled') return undefined;
  const claim = { releaseName, storageNamespace: storage.namespace, last: { ...last, origin } };
  if (whose === 'lost') refuse(claimOfLost(claim));
  await requireSame(pass, { context, claim, last });
  if (whose === 'continued' && isPending(last.status)) requireOver(pass, claim, await readStored(context, last));
  return whose;
}

/** Throws what `namesakeClaim` throws about the release of the pass. */
export async function requireNotLost(pass: ReleasePass, last: StoredRevision | undefined): Promise<void> {
  await namesakeClaim(pass, pass.context, last);
}

/**
 * All of them, also if the last one is uninstalled: helm gives the labels of an earlier revision to one that it makes by
 * a rollback. The last one comes last: until then, it is done again.
 */
async function markAll(
  { release: { metadata } }: ReleasePass,
  { storage, releaseName, log }: ActionContext,
  revisions: readonly StoredRevision[],
): Promise<StoredRevision[]> {
  const uid = lastRevision(revisions)?.originUid;
  log.info({ releaseName, uid }, 'continues the release of another HelmRelease of this name');
  for (const revision of revisions) {
    if (revision.origin === keyOf(metadata) && revision.originUid !== metadata.uid) await storage.mark(revision);
  }
  return storage.revisions();
}

/**
 * The revisions of the release in storage. If a HelmRelease of the same name made the newest one, and this one continues
 * it, as after a restore on another host, the revisions say so from now on. Throws TerminalError `StateError` if it is
 * the other one that continues it.
 */
export async function claimedRevisions(pass: ReleasePass): Promise<StoredRevision[]> {
  const { release, context } = pass;
  const revisions = await context.storage.revisions();
  const last = lastRevision(revisions);
  const claim = await namesakeClaim(pass, context, last);
  if (last === undefined || claim === undefined) return revisions;
  // Never before the mark is there: with this status, the mark of another one means that the release is lost.
  const remember = (): void => {
    // A dry run marks nothing.
    if (asksForDryRun(release)) return;
    report({ status: { ...pass.status.current, ...defined(pick(release.metadata, 'uid')) } }, pass);
  };
  if (claim === 'own') {
    if (last.originUid !== undefined) remember();
    return revisions;
  }
  const marked = await markAll(pass, context, revisions);
  remember();
  return marked;
}

/**
 * The revisions of a release that is left, as it moves. If this HelmRelease continues it, as after a restore, they say
 * so first, or nobody would uninstall it. Throws TerminalError `StateError` if another host continues it.
 */
export async function claimBeforeMove(pass: ReleasePass, old: ActionContext): Promise<StoredRevision[]> {
  const revisions = await old.storage.revisions();
  const claim = await namesakeClaim(pass, old, lastRevision(revisions));
  return claim === 'continued' ? markAll(pass, old, revisions) : revisions;
}

/**
 * The HelmRelease that no longer exists, and from which a release is taken over; undefined if no other one claims it.
 * Throws TerminalError `ReleaseHeld` if that one exists, and `StateError` if its claim stands without it: two owners would
 * undo each other's work. Throws TransientError if the owner cannot be looked up, and WaitingError while an action may
 * still run.
 */
export async function claimRelease(pass: ReleasePass, last: StoredRevision | undefined): Promise<string | undefined> {
  const { release, context } = pass;
  const origin = last?.origin;
  if (last === undefined || origin === undefined || origin === keyOf(release.metadata)) return undefined;
  if (last.status === 'uninstalled') return undefined;
  const { storageNamespace } = desiredTarget(release);
  const claim = { releaseName: context.releaseName, storageNamespace, last: { ...last, origin } };
  if (!isAskable(pass, origin)) refuse(claimOfHidden(claim));
  if (await exists(pass, claim)) throw new TerminalError(RELEASE_HELD, claimOfLiving(claim));
  await requireFree(pass, claim, last);
  return origin;
}
