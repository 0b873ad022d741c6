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
  /** The memory of those that failed in it and left it. */
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

/**
 * The memory of destinations that failed and did not become Ready, and are gone or may be in another stage now: a label
 * that is lost passes no canary. An older controller did not write the stage, which is not guessed of those that remain.
 */
export function goneOf(
  targets: readonly Target[],
  failing: ReadonlySet<string>,
  remembered: readonly string[] = [],
): readonly string[] {
  if (remembered.length === 0) return [];
  const present = new Map(targets.map(({ id }) => [shortHash(id), id]));
  return remembered.filter((text) => {
    const id = present.get(hashIn(text));
    return id === undefined || (failing.has(id) && text.length > HASH_LENGTH);
  });
}

/** Those of them that failed in a stage, and are not among its members now. The first one if it was not written. */
export function goneFrom({ name }: StageSpec, index: number, members: readonly Target[], gone: readonly string[]) {
  const was = gone.filter((text) => (text.length === HASH_LENGTH ? index === 0 : text.endsWith(tagOf(name))));
  if (was.length === 0) return [];
  const own = new Set(members.map(({ id }) => shortHash(id)));
  return was.filter((text) => !own.has(hashIn(text)));
}

/** The memory of them, each with the stage in which it failed, and of those that are gone. */
export function rememberedOf(
  failing: ReadonlySet<string>,
  stages: readonly Members[] = [],
): { readonly failing?: readonly string[] } {
  const tags = new Map(stages.flatMap(({ spec, members }) => members.map(({ id }) => [id, tagOf(spec.name)] as const)));
  const gone = stages.flatMap((stage) => stage.gone ?? []);
  const known = new Set(gone.map(hashIn));
  const here = [...failing].filter((id) => !known.has(shortHash(id)));
  const all = [...here.map((id) => `${shortHash(id)}${tags.get(id) ?? ''}`), ...gone];
  return all.length === 0 ? {} : { failing: all.sort().slice(0, MAX_REMEMBERED) };
}
