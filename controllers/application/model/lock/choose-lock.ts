import { floatingText, type Floating } from './floating.js';
import { isSameMeaning, type Lock, type Meaning } from './lock.js';

/** What something that floats means now, or why nobody knows. */
export type Found = { readonly meaning: Meaning } | { readonly problem: string };

/** What something that floats is to mean. */
export interface Choice {
  readonly floating: Floating;
  /** Undefined: it is not known, and was not known before. */
  readonly meaning: Meaning | undefined;
  /** What it means now, if that waits. */
  readonly available: Meaning | undefined;
  /** Why nobody knows what it means now. */
  readonly problem: string | undefined;
}

export interface LockInput {
  readonly floating: readonly Floating[];
  /** Of the newest revision. */
  readonly before: Lock;
  /** That revision is what the Application says, and its rollout goes on. */
  readonly isRollingOut: boolean;
  readonly find: (floating: Floating) => Found;
}

function choiceFor(floating: Floating, { before, isRollingOut, find }: LockInput): Choice {
  const kept = before.get(floatingText(floating));
  const found = find(floating);
  const now = 'meaning' in found ? found.meaning : undefined;
  const meaning = isRollingOut ? (kept ?? now) : (now ?? kept);
  return {
    floating,
    meaning,
    available: now === undefined || isSameMeaning(now, meaning) ? undefined : now,
    problem: 'problem' in found ? found.problem : undefined,
  };
}

/**
 * What all that floats is to mean: what it means now, unless a rollout goes on. What is not known now means what it
 * did: a source that is broken or gone changes nothing. Never throws.
 */
export function chooseLock(input: LockInput): Choice[] {
  return input.floating.map((floating) => choiceFor(floating, input));
}

/** The lock of what was chosen; undefined while something has no meaning: nothing may change until then. */
export function lockOf(choices: readonly Choice[]): Lock | undefined {
  const meanings = choices.flatMap(({ floating, meaning }) =>
    meaning === undefined ? [] : [[floatingText(floating), meaning] as const],
  );
  return meanings.length === choices.length ? new Map(meanings) : undefined;
}
