import { listed } from '#controllers/runtime/pure/listed.js';
import { describeFloating, floatingText, type Floating } from './floating.js';
import { isSameMeaning, type Lock, type Meaning } from './lock.js';

const NAMED = 3;

/** What something that floats means now, or why nobody knows, and what it will mean once that is over. */
type Known = { readonly meaning: Meaning } | { readonly problem: string; readonly coming?: Meaning };

/** The same, or why it cannot be held at one meaning. */
export type Found = Known | { readonly floats: string };

/** What something that floats is to mean. */
export interface Choice {
  readonly floating: Floating;
  /** Undefined: it is not known, and was not known before. */
  readonly meaning: Meaning | undefined;
  /** What it means now, or will mean soon, if that waits. */
  readonly available: Meaning | undefined;
  /** Why nobody knows what it means now. */
  readonly problem: string | undefined;
}

export interface LockInput {
  /** What can be held at one meaning. */
  readonly held: readonly { readonly floating: Floating; readonly found: Known }[];
  /** Of the newest revision. */
  readonly before: Lock;
  /** That revision is what the Application says, and its rollout goes on. */
  readonly isRollingOut: boolean;
}

function choiceFor({ floating, found }: LockInput['held'][number], { before, isRollingOut }: LockInput): Choice {
  const kept = before.get(floatingText(floating));
  const now = 'meaning' in found ? found.meaning : undefined;
  const next = 'coming' in found ? found.coming : now;
  const meaning = isRollingOut ? (kept ?? now) : (now ?? kept);
  return {
    floating,
    meaning,
    available: next === undefined || isSameMeaning(next, meaning) ? undefined : next,
    problem: 'problem' in found ? found.problem : undefined,
  };
}

/**
 * What all that floats is to mean: what it means now, unless a rollout goes on. What is not known now means what it
 * did: a source that is broken or gone changes nothing. Never throws.
 */
export function chooseLock(input: LockInput): Choice[] {
  return input.held.map((each) => choiceFor(each, input));
}

/** The lock of what was chosen; undefined while something has no meaning: nothing may change until then. */
export function lockOf(choices: readonly Choice[]): Lock | undefined {
  const meanings = choices.flatMap(({ floating, meaning }) =>
    meaning === undefined ? [] : [[floatingText(floating), meaning] as const],
  );
  return meanings.length === choices.length ? new Map(meanings) : undefined;
}

/** What users should know of what cannot be held at one meaning. */
export function floatWarning(floating: Floating, why: string): string {
  return `${describeFloating(floating)}: ${why}, so what it means changes on all clusters at once, whatever the stages are`;
}

/** Why an Application is not rolled out: what it names has no meaning yet. */
export function whyUnlocked(choices: readonly Choice[] = []): string | undefined {
  const open = choices.filter(({ meaning }) => meaning === undefined);
  if (open.length === 0) return undefined;
  const each = open.map(({ floating, problem }) => `${describeFloating(floating)}: ${problem ?? ''}`);
  return `waits for ${listed(each, NAMED)}; what runs is left unchanged`;
}

/** What users should know of what keeps its meaning because nobody knows the one that it has now. */
export function lockWarnings(choices: readonly Choice[]): string[] {
  return choices.flatMap(({ floating, meaning, problem }) =>
    meaning === undefined || problem === undefined
      ? []
      : [`${describeFloating(floating)}: ${problem}; ${meaning.revision} stays`],
  );
}
