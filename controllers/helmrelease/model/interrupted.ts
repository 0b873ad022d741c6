import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { configDigest } from './digest.js';
import { unlockedFrom, type ReleaseRecord, type StoredRevision } from './release.js';
import { ociDigestOf, snapshotOf, type Origin, type SnapshotAction } from './snapshot.js';
import { released, releaseFailed, remediated, unlocked, type StatusContext } from './status.js';

/**
 * True for a revision that an action of ours finished, but whose process ended before it wrote the status: it follows
 * the newest revision of the history, the status announced an action, and nobody else wrote the revision.
 */
export function isUnreported(last: StoredRevision, status: HelmReleaseStatus): boolean {
  if (!last.untouched || status.lastAttemptedReleaseAction === undefined) return false;
  if (last.status !== 'deployed' && last.status !== 'failed') return false;
  const known = status.history?.[0]?.version;
  return known === undefined || last.version === known + 1;
}

/** The interrupted action, by the status that it left in storage. */
export function interruptedAction(was: string): SnapshotAction {
  if (was === 'pending-install') return 'install';
  return was === 'pending-rollback' ? 'rollback' : 'upgrade';
}

/**
 * The error in the description of a failed revision, which is the only place where Helm stores it: `Upgrade "web"
 * failed: <error>`.
 */
function errorIn({ description = '' }: ReleaseRecord['info']): string {
  return description.replace(/^\w+ "[^"]*" failed: /, '');
}

/** The values that a revision would get now, and the digest of those in the spec. */
export interface ValuesNow {
  readonly config: Readonly<Record<string, unknown>>;
  readonly configDigest: string;
}

/**
 * What a revision was made from: digest of the values that the spec had for it. With preserveValues the revision has
 * others, so the digest of the spec counts as long as it still leads to the same values.
 */
function originOf(record: ReleaseRecord, now: ValuesNow, status: HelmReleaseStatus): Origin {
  const stored = configDigest(record.config);
  const digest = configDigest(now.config) === stored ? now.configDigest : stored;
  return { configDigest: digest, ociDigest: ociDigestOf(record, status) };
}

export interface Finished {
  readonly record: ReleaseRecord;
  readonly now: ValuesNow;
  readonly clearFailures: boolean;
}

/** The status that the interrupted process would have written; undefined if it is no longer known. */
export function statusOfInterrupted(
  status: HelmReleaseStatus,
  context: StatusContext,
  { record, now, clearFailures }: Finished,
): HelmReleaseStatus | undefined {
  const was = unlockedFrom(record.info);
  if (was !== undefined) {
    const snapshot = snapshotOf(record, originOf(record, now, status), interruptedAction(was));
    return unlocked(status, context, { snapshot, was, isOwn: true });
  }
  const { rollback_revision: wentBackTo, status: ended } = record.info;
  const error = ended === 'failed' ? errorIn(record.info) : undefined;
  if (wentBackTo !== undefined) {
    const target = status.history?.find(({ version }) => version === wentBackTo);
    if (target === undefined) return undefined;
    const snapshot = snapshotOf(record, target, 'rollback');
    return remediated(status, context, { action: 'rollback', snapshot, target, error });
  }
  const action = status.lastAttemptedReleaseAction;
  if (action === undefined) return undefined;
  const snapshot = snapshotOf(record, originOf(record, now, status), action);
  if (error === undefined) return released(status, context, { action, snapshot, clearFailures });
  return releaseFailed(status, context, { action, attempted: snapshot, error, snapshot });
}
