import { HASH_LENGTH, shortHash } from '#controllers/runtime/pure/short-hash.js';
import type { StageSpec, Target } from './types.js';

/** More are not remembered: while these are retried, they do not count as failed. */
const MAX_REMEMBERED = 1_000;
/** Number of hash characters that distinguish the stages of an Application. */
const TAG_LENGTH = 5;

/** The part of a stage that matters for remembered failures. */
interface Members {
  readonly spec: StageSpec;
  readonly members: readonly Target[];
  /** Remembered failures of this stage whose destinations have left it. */
  readonly gone?: readonly string[];
}

function tagOf(stage: string): string {
  return `-${shortHash(stage).slice(0, TAG_LENGTH)}`;
}

function hashIn(text: string): string {
  return text.slice(0, HASH_LENGTH);
}

/**
 * The ids of destinations that failed and have not become Ready since; `remembered` has the earlier failures. Retrying,
 * losing, pinning, pausing or rejecting such a destination does not clear its failure. `isOver`: the rollout is
 * complete or rolled back, so an earlier failure counts only while it is retried.
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

/** The remembered failures whose destinations are gone: they have not become Ready. */
export function goneOf(targets: readonly Target[], remembered: readonly string[] = []): readonly string[] {
  if (remembered.length === 0) return [];
  const present = new Set(targets.map(({ id }) => shortHash(id)));
  return remembered.filter((text) => !present.has(hashIn(text)));
}

/** True if the failure happened in this stage. Failures without a recorded stage belong to the first one. */
export function wasIn(failure: string, { name }: StageSpec, index: number): boolean {
  return failure.length === HASH_LENGTH ? index === 0 : failure.endsWith(tagOf(name));
}

/**
 * Finds the stage of each destination. One that failed stays in the stage in which it did: a canary must not pass by
 * losing its label. Older versions did not record the stage; it is not guessed.
 */
export function stageFinder(
  stages: readonly StageSpec[],
  failing: ReadonlySet<string>,
  remembered: readonly string[] = [],
): (target: Target) => number {
  const tagged = remembered.filter((text) => text.length > HASH_LENGTH);
  const failedIn = new Map(
    tagged.map((text) => [hashIn(text), stages.findIndex((stage, index) => wasIn(text, stage, index))] as const),
  );
  return ({ id, stage }) => {
    const before = failing.has(id) ? failedIn.get(shortHash(id)) : undefined;
    return before === undefined || before === -1 ? stage : before;
  };
}

/** The failures to remember: of present destinations with their stages, and of those that are gone. */
export function rememberedOf(
  failing: ReadonlySet<string>,
  stages: readonly Members[] = [],
): { readonly failing?: readonly string[] } {
  const tags = new Map(stages.flatMap(({ spec, members }) => members.map(({ id }) => [id, tagOf(spec.name)] as const)));
  const gone = stages.flatMap((stage) => stage.gone ?? []);
  const all = [...[...failing].map((id) => `${shortHash(id)}${tags.get(id) ?? ''}`), ...gone];
  return all.length === 0 ? {} : { failing: all.sort().slice(0, MAX_REMEMBERED) };
}
