import type { Artifact } from '#api/flux/common.js';
import { HEALTH_CHECK_CANCELED } from '#api/flux/conditions.js';
import type { KubeObject } from '#api/meta.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { Applying } from './types.js';

/** The fields that tell one artifact from another. */
type Made = Pick<Artifact, 'revision' | 'digest'>;

/** An object as it is reconciled, and what it is made from. */
interface Reconciled {
  readonly object: Applying;
  readonly artifact: Made;
}

/** The same things as they are known now; undefined: not known, which is no news. */
export interface Known {
  readonly object: Applying | undefined;
  readonly source: (KubeObject & { readonly status?: { readonly artifact?: Made | undefined } }) | undefined;
}

/** When somebody asks for news: while objects are waited for. */
interface Moment {
  /** Half of the timeout is over. */
  readonly isLong: boolean;
  /** It has deployed nothing yet. */
  readonly isFirst?: boolean;
}

function whyGone({ metadata }: Applying, known: Applying): string | undefined {
  if (known.metadata.deletionTimestamp !== undefined) return 'the object is being deleted';
  return known.metadata.uid === metadata.uid ? undefined : 'the object was deleted and created again';
}

function newsOfObject(object: Applying, known: Applying): string | undefined {
  if (known.spec.suspend === true) return 'the object is suspended';
  const [now = 0, then = 0] = [known.metadata.generation, object.metadata.generation];
  return now > then ? 'the spec changed' : undefined;
}

function newsOfSource(artifact: Made, known: Made | undefined): string | undefined {
  if (known === undefined) return undefined;
  const isSame = known.revision === artifact.revision && known.digest === artifact.digest;
  return isSame ? undefined : `the source has ${known.revision} now`;
}

/** The condition of an attempt that ended early. What comes between two attempts changes Ready, but no other one. */
const ENDED_EARLY: readonly (readonly [type: string, reason: string])[] = [
  ['Ready', HEALTH_CHECK_CANCELED],
  ['Healthy', HEALTH_CHECK_CANCELED],
  ['Released', 'PendingRelease'],
];

/** True if the last attempt ended early. Then only the object itself ends the next one, so that it can fail, too. */
function endedEarly({ status }: Applying): boolean {
  return ENDED_EARLY.some(([type, reason]) => getCondition(status?.conditions, type)?.reason === reason);
}

/**
 * Why an object is to be reconciled again, other than before; undefined: nothing says so. A source that changes all the
 * time must not keep objects from becoming ready, or failed: it counts only after a while, and not twice in a row. What
 * has deployed nothing yet is only left to be deleted: an upgrade would follow, which repeats no hooks of the
 * installation, has another remediation, and does not know all that it left.
 */
export function newsOf(
  { object, artifact }: Reconciled,
  { object: now, source }: Known,
  { isLong, isFirst }: Moment,
): string | undefined {
  const whyOver = now && whyGone(object, now);
  if (whyOver !== undefined || isFirst === true) return whyOver;
  const ofObject = now && newsOfObject(object, now);
  if (ofObject !== undefined || !isLong || endedEarly(object)) return ofObject;
  return newsOfSource(artifact, source?.status?.artifact);
}
