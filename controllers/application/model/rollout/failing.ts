import { HASH_LENGTH, shortHash } from '#controllers/runtime/pure/short-hash.js';
import type { StageSpec, Target } from './types.js';

/** More are not remembered: while these are retried, they do not count as failed. */
const MAX_REMEMBERED = 1_000;
/** Characters that tell the stages of an Application apart. */
const TAG_LENGTH = 5;

/** A stage, as far as the memory of failures needs it. */
interface Members {
  readonly spec: StageSpec;
  readonly members: readonly Target[];
  /** What is remembered of those that failed and left it. */
  readonly gone?: readonly string[];
}

function tagOf(stage: string): string {
  return `-${shortHash(stage).slice(0, TAG_LENGTH)}`;
}

function hashIn(text: string): string {
  return text.slice(0, HASH_LENGTH);
}

/**
 * The ids of destinations that failed and did not become Ready since, if `remembered` says which ones had failed before:
 * one that is retried, lost, pinned, paused or rejected is as broken as it was. With `isOver`, the rollout is complete
 * or rolled back: then only one that is retried counts.
 */
export function failingOf(
  targets: readonly Target[],
  remembered: readonly string[] = [],
  isOver = false,
): ReadonlySet<string> {
  const known = new Set(remembered.map(hashIn));
  const isBroken = ({ state, isOnce }: Target): boolean =>
    isOver ? state === 'failed' || state === 'updating' : state !== 'ready' && isOnce !== true;
  const isFailing = (target: Target): boolean => {
    if (target.state === 'failed' && target.isReachable) return true;
    return known.size > 0 && isBroken(target) && known.has(shortHash(target.id));
  };
  return new Set(targets.filter(isFailing).map(({ id }) => id));
}

/** What is remembered of destinations that failed and are gone: they did not become Ready either. */
export function goneOf(targets: readonly Target[], remembered: readonly string[] = []): readonly string[] {
  if (remembered.length === 0) return [];
  const present = new Set(targets.map(({ id }) => shortHash(id)));
  return remembered.filter((text) => !present.has(hashIn(text)));
}

/** True if one that is gone was in this stage. An older controller did not write which: the first one then. */
export function wasIn(gone: string, { name }: StageSpec, index: number): boolean {
  return gone.length === HASH_LENGTH ? index === 0 : gone.endsWith(tagOf(name));
}

/** What is to be remembered of them, with their stages and what is gone, if there are any: nothing if there are none. */
export function rememberedOf(
  failing: ReadonlySet<string>,
  stages: readonly Members[] = [],
): { readonly failing?: readonly string[] } {
  const tags = new Map(stages.flatMap(({ spec, members }) => members.map(({ id }) => [id, tagOf(spec.name)] as const)));
  const gone = stages.flatMap((stage) => stage.gone ?? []);
  const all = [...[...failing].map((id) => `${shortHash(id)}${tags.get(id) ?? ''}`), ...gone];
  return all.length === 0 ? {} : { failing: all.sort().slice(0, MAX_REMEMBERED) };
}
