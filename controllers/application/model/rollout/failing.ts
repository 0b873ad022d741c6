import { shortHash } from '#controllers/runtime/pure/short-hash.js';
import type { Target } from './types.js';

/** More are not remembered: while these are retried, they do not count as failed. */
const MAX_REMEMBERED = 1_000;

/**
 * The ids of destinations that failed and did not become Ready since, if `remembered` says which ones had failed before:
 * one that is retried, or lost, is as broken as it was.
 */
export function failingOf(targets: readonly Target[], remembered: readonly string[] = []): ReadonlySet<string> {
  const known = new Set(remembered);
  const isFailing = ({ id, state, isReachable }: Target): boolean => {
    if (state === 'failed' && isReachable) return true;
    return known.size > 0 && (state === 'failed' || state === 'updating') && known.has(shortHash(id));
  };
  return new Set(targets.filter(isFailing).map(({ id }) => id));
}

/** What is to be remembered of them: nothing if there are none. */
export function rememberedOf(failing: ReadonlySet<string>): { readonly failing?: readonly string[] } {
  if (failing.size === 0) return {};
  return { failing: [...failing].map(shortHash).sort().slice(0, MAX_REMEMBERED) };
}
