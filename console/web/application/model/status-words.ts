import type { Condition } from '#api/meta.js';
import { APPLICATION_REASONS } from '#api/v1alpha1/conditions.js';
import type { Meaning } from '#queries/views/state-meaning.js';

/** A condition as a person reads it. */
export interface ConditionWords {
  readonly type: string;
  readonly meaning: Meaning;
  /** `True`, `False` or `Unknown`. */
  readonly status: string;
  readonly reason: string;
  /** What the reason means; empty for one that this version does not know. */
  readonly sentence: string;
  readonly message: string;
  /** RFC 3339; empty if nobody says. */
  readonly since: string;
}

/** What each type means when it is True; what it does not list means nothing bad either way. */
const WHEN_TRUE: Readonly<Record<string, Meaning>> = {
  Ready: 'good',
  RolledOut: 'good',
  TemplateSaved: 'good',
  Reconciling: 'moving',
  Stalled: 'bad',
  RemovalsHeld: 'bad',
  Pinned: 'idle',
  DryRun: 'idle',
};
const WHEN_FALSE: Readonly<Record<string, Meaning>> = {
  Ready: 'bad',
  RolledOut: 'moving',
  TemplateSaved: 'bad',
  DryRun: 'bad',
};

function meaningOf({ type, status }: Condition): Meaning {
  if (status === 'Unknown') return 'moving';
  const meanings = status === 'True' ? WHEN_TRUE : WHEN_FALSE;
  return Object.hasOwn(meanings, type) ? (meanings[type] ?? 'idle') : 'idle';
}

function sentenceOf(reason: string): string {
  const sentences: Readonly<Record<string, string>> = APPLICATION_REASONS;
  const sentence = Object.hasOwn(sentences, reason) ? (sentences[reason] ?? '') : '';
  // Some begin with the type that they belong to, which stands there already.
  const text = sentence.replace(/^\w+: /, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const ORDER: readonly Meaning[] = ['bad', 'moving', 'idle', 'good'];

/** What is bad first; else as the status has them. `said`: a message that stands above them already. */
export function conditionWords(conditions: readonly Condition[], said = ''): ConditionWords[] {
  const words = conditions.map((condition) => {
    const { type, status, reason, lastTransitionTime } = condition;
    const message = condition.message === said ? '' : condition.message;
    const sentence = sentenceOf(reason);
    return { type, status, reason, message, sentence, meaning: meaningOf(condition), since: lastTransitionTime };
  });
  return words.sort((a, b) => ORDER.indexOf(a.meaning) - ORDER.indexOf(b.meaning));
}

const MINUTE_MS = 60_000;
/** Milliseconds of each unit, and from how many of the unit before on it is used. */
const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 24 * 60 * MINUTE_MS],
  ['hour', 60 * MINUTE_MS],
  ['minute', MINUTE_MS],
];

/** How long ago something was, in the largest unit of which there are two; empty if that is not known (NaN). */
export function ageWords(ms: number): string {
  if (Number.isNaN(ms)) return '';
  const [unit, unitMs] = UNITS.find(([, each]) => ms >= 2 * each) ?? ['minute', MINUTE_MS];
  const count = Math.floor(ms / unitMs);
  if (count < 1) return 'just now';
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'} ago`;
}
