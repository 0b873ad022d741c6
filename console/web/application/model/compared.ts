import { comparedSummary, differs } from '#queries/views/live-diff-view.js';
import type { ComparedField, LiveDiffView } from '#queries/answers/members.js';
import type { ComparedState } from '#queries/answers/words.js';
import type { Meaning } from '#queries/views/state-meaning.js';
import { pointerText } from '#lib/text/text.js';
import type { FieldWords } from '../../change/model/plan-words.js';
import type { Problem } from '../../data/model/problem.js';

interface StateWords {
  readonly text: string;
  readonly meaning: Meaning;
}

const WORDS: Readonly<Record<ComparedState, StateWords>> = {
  missing: { text: 'Missing', meaning: 'bad' },
  changed: { text: 'Changed', meaning: 'bad' },
  unreadable: { text: 'Not compared', meaning: 'moving' },
  unknown: { text: 'Not known', meaning: 'idle' },
  ignored: { text: 'Ignored', meaning: 'idle' },
  same: { text: 'Same', meaning: 'good' },
};

/** The words for the state of a compared object. */
export function comparedWords(state: ComparedState): StateWords {
  return WORDS[state];
}

/** The live value of a field, and the wanted one. */
export function comparedField({ path, live = '', wanted = '' }: ComparedField): FieldWords {
  return { path: pointerText(path), old: live, next: wanted };
}

/** What is known of a destination that was asked. */
export interface Verdict {
  readonly text: string;
  readonly meaning: Meaning;
  readonly differs: boolean;
}

/** As `useReads` has it. */
interface Asked {
  readonly value?: Pick<LiveDiffView, 'objects' | 'more' | 'problem'>;
  readonly problem?: Pick<Problem, 'kind' | 'title'>;
}

function ofValue({ objects, more, problem }: NonNullable<Asked['value']>): Verdict {
  const isDifferent = objects.some(differs);
  const isWhole =
    problem === '' &&
    more === 0 &&
    objects.length > 0 &&
    objects.every(({ state }) => state !== 'unknown' && state !== 'unreadable');
  const meaning = isDifferent ? 'bad' : 'good';
  const text = objects.length === 0 && problem !== '' ? 'not read' : comparedSummary({ objects, more });
  return { text, meaning: isDifferent || isWhole ? meaning : 'idle', differs: isDifferent };
}

/** Undefined while nobody knows. What could not be read is no difference, and is said. */
export function verdictOf({ value, problem }: Asked): Verdict | undefined {
  if (value !== undefined) return ofValue(value);
  // Who signs in again gets an answer.
  if (problem === undefined || problem.kind === 'login') return undefined;
  return { text: problem.title, meaning: 'idle', differs: false };
}

/** All others in their order, the one behind it first. */
export function othersFrom<T>(items: readonly T[], current: T): T[] {
  const at = items.indexOf(current);
  return [...items.slice(at + 1), ...items.slice(0, Math.max(0, at))];
}
