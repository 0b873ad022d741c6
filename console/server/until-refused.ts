import { setTimeout as pause } from 'node:timers/promises';
import { apiStatusOf } from '#lib/errors.js';
import { Refusal } from '../shared/refusal.js';

export interface RecheckOptions {
  /** Ends it: he is gone. */
  readonly signal: AbortSignal;
  /** Milliseconds between two questions. */
  readonly everyMs: number;
}

/** A token, or a right, that is taken away counts about so much longer. */
export const RECHECK_MS = 30_000;
/** He is not known, may not, or there is nothing any more that he might. */
const DECISIONS: readonly number[] = [401, 403, 404];
/** Who cannot be asked for once may be the next time. */
const MOST_UNANSWERED = 2;

function isDecision(error: unknown): boolean {
  return DECISIONS.includes(error instanceof Refusal ? error.code : (apiStatusOf(error)?.code ?? 0));
}

/**
 * For an answer that lasts: asks from time to time whether its reader still is who he was, and still may. Resolves to
 * what `check` threw once he may not, or twice in a row nobody could tell; to undefined when he is gone. Never throws.
 */
export async function untilRefused(
  check: () => Promise<unknown>,
  { signal, everyMs }: RecheckOptions,
): Promise<unknown> {
  const isGone = (): boolean => signal.aborted;
  for (let unanswered = 0; ;) {
    await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (isGone()) return undefined;
    try {
      await check();
      unanswered = 0;
    } catch (error: unknown) {
      unanswered += 1;
      if (!isGone() && (isDecision(error) || unanswered === MOST_UNANSWERED)) return error;
    }
  }
}
