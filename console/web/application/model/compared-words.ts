import type { ComparedField, ComparedState } from '#queries/views/live-diff-view.js';
import type { Meaning } from '#queries/views/state-meaning.js';
import { pointerText, type FieldWords } from '../../change/model/plan-words.js';

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

/** What was found of an object. */
export function comparedWords(state: ComparedState): StateWords {
  return WORDS[state];
}

/** What is there, and what is wanted in its place. */
export function comparedField({ path, live = '', wanted = '' }: ComparedField): FieldWords {
  return { path: pointerText(path), old: live, next: wanted };
}
