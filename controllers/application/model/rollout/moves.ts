import { byUrgency, classOf, Places } from './budgets.js';
import type { Stage } from './record.js';
import type { Hold, Move, Target } from './types.js';

const TO_TARGET: Move = { to: 'target' };
const TO_PREVIOUS: Move = { to: 'previous' };

function holdMove({ cause, why }: Hold): Move {
  return { hold: why, cause };
}

const UNREACHABLE: Move = { hold: 'its cluster is unreachable', cause: 'Unreachable' };

/** What is at the target stays there, and what takes no part is not held. */
function restingMove(target: Target): Move | undefined {
  const { state, isReachable } = target;
  if (state !== 'absent' && state !== 'outdated') return TO_TARGET;
  return isReachable ? undefined : UNREACHABLE;
}

/** Failed destinations that are retried while their failures hold all others, and that hold. */
export interface Retries {
  readonly failures: ReadonlySet<string>;
  readonly hold: Hold | undefined;
}

/** Starts the destinations of a stage that its budgets allow, unless the stage is held. */
export function forwardMoves(
  { spec, members }: Stage,
  hold: Hold | undefined,
  retries: Retries = { failures: new Set(), hold },
): Map<string, Move> {
  const moves = new Map<string, Move>();
  const places = new Places(spec, members);
  for (const target of [...members].sort(byUrgency)) {
    const resting = restingMove(target);
    const own = retries.failures.has(target.id) ? retries.hold : hold;
    if (resting !== undefined) moves.set(target.id, resting);
    else if (own !== undefined) moves.set(target.id, holdMove(own));
    else {
      const full = places.take(target);
      moves.set(target.id, full === undefined ? TO_TARGET : { hold: full, cause: 'Budget' });
    }
  }
  return moves;
}

/** A destination of the stage that is rolled back must still be sent to the previous revision. */
function mustGoBack({ state, isAtPrevious, hasPrevious }: Target): boolean {
  return !isAtPrevious && hasPrevious && (state === 'updating' || state === 'ready' || state === 'failed');
}

/** Sends the destinations of a stage back that its budgets allow; all others keep what they have. */
export function backwardMoves({ spec, members }: Stage, rolledBack: Hold, hold: Hold | undefined): Map<string, Move> {
  const moves = new Map<string, Move>();
  const places = new Places(spec, members, true);
  for (const target of [...members].sort(byUrgency)) {
    const { id, state, isReachable, isAtPrevious } = target;
    if (state === 'left') moves.set(id, TO_TARGET);
    else if (isAtPrevious && state !== 'absent') moves.set(id, TO_PREVIOUS);
    else if (!isReachable) moves.set(id, UNREACHABLE);
    else if (!mustGoBack(target)) moves.set(id, holdMove(rolledBack));
    else if (hold !== undefined) moves.set(id, holdMove(hold));
    else {
      const full = places.take(target);
      moves.set(id, full === undefined ? TO_PREVIOUS : { hold: full, cause: 'Budget' });
    }
  }
  return moves;
}

/** A stage that is rolled back has destinations that are not Ready at the previous revision yet, and will be. */
export function isRollingBack({ members }: Stage): boolean {
  return members.some((target) => {
    if (['left', 'rejected', 'unreachable'].includes(classOf(target))) return false;
    return mustGoBack(target) || (target.isAtPrevious && !target.isAvailable && !target.isFailed);
  });
}
