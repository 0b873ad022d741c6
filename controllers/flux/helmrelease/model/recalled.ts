import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { configDigest } from './digest.js';
import { unlockedFrom, type ReleaseRecord, type StoredRevision } from './release.js';
import { snapshotOf, type SnapshotAction } from './snapshot.js';
import { released, releaseFailed, remediated, unlocked, type StatusContext } from './status.js';

/**
 * True for a revision that ended one action of ours while the process that ran it did not live to say so: it follows
 * the last one that the status knows, the status announced an action, and nobody else has touched it.
 */
export function isUnsaid(last: StoredRevision, status: HelmReleaseStatus): boolean {
  if (!last.untouched || status.lastAttemptedReleaseAction === undefined) return false;
  if (last.status !== 'deployed' && last.status !== 'failed') return false;
  const known = status.history?.[0]?.version;
  return known === undefined || last.version === known + 1;
}

/** The action that was cut off, by the status that it left in storage. */
export function actionCutOff(was: string): SnapshotAction {
  if (was === 'pending-install') return 'install';
  return was === 'pending-rollback' ? 'rollback' : 'upgrade';
}

/** The error in the description of a failed revision: `Upgrade "web" failed: <error>`. */
function errorIn({ description = '' }: ReleaseRecord['info']): string {
  return description.replace(/^\w+ "[^"]*" failed: /, '');
}

/** What a revision made now would be given, and the digest of the values that the spec has for it. */
export interface ValuesNow {
  readonly config: Readonly<Record<string, unknown>>;
  readonly configDigest: string;
}

/**
 * Digest of the values that the spec had for a revision. With preserveValues they are not those that the revision has,
 * so the spec's count wherever they still give the same.
 */
function digestFor({ config }: ReleaseRecord, now: ValuesNow): string {
  const stored = configDigest(config);
  return configDigest(now.config) === stored ? now.configDigest : stored;
}

export interface RecalledFacts {
  readonly record: ReleaseRecord;
  readonly now: ValuesNow;
  readonly clearFailures: boolean;
}

/** What the status would have said of the revision; undefined where it can no longer be told. */
export function recalled(
  status: HelmReleaseStatus,
  context: StatusContext,
  { record, now, clearFailures }: RecalledFacts,
): HelmReleaseStatus | undefined {
  const was = unlockedFrom(record.info);
  if (was !== undefined) {
    const snapshot = snapshotOf(record, digestFor(record, now), actionCutOff(was));
    return unlocked(status, context, { snapshot, was, isOwn: true });
  }
  const { rollback_revision: wentBackTo, status: ended } = record.info;
  const error = ended === 'failed' ? errorIn(record.info) : undefined;
  if (wentBackTo !== undefined) {
    const target = status.history?.find(({ version }) => version === wentBackTo);
    if (target === undefined) return undefined;
    const snapshot = snapshotOf(record, target.configDigest, 'rollback');
    return remediated(status, context, { action: 'rollback', snapshot, target, error });
  }
  const action = status.lastAttemptedReleaseAction;
  if (action === undefined) return undefined;
  const snapshot = snapshotOf(record, digestFor(record, now), action);
  if (error === undefined) return released(status, context, { action, snapshot, clearFailures });
  return releaseFailed(status, context, { action, attempted: snapshot, error, snapshot });
}
