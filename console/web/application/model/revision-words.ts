import type { RevisionState, RevisionView } from '#queries/views/history-view.js';
import type { Meaning } from '#queries/views/state-meaning.js';

interface Words {
  readonly meaning: Meaning;
  readonly text: string;
}

const WORDS: Readonly<Record<RevisionState, Words>> = {
  Current: { meaning: 'good', text: 'Current spec' },
  RollingOut: { meaning: 'moving', text: 'Being rolled out' },
  Halted: { meaning: 'bad', text: 'Rollout halted' },
  Paused: { meaning: 'idle', text: 'Rollout paused' },
  RolledOut: { meaning: 'good', text: 'Rolled out' },
  RolledBack: { meaning: 'bad', text: 'Rolled back' },
  LastGood: { meaning: 'good', text: 'Last good' },
  Pinned: { meaning: 'idle', text: 'Pinned' },
  NotKept: { meaning: 'idle', text: 'Not kept' },
};

/** What can be said of a revision, as a person reads it. */
export function revisionWords({ states, haltedAt }: Pick<RevisionView, 'states' | 'haltedAt'>): Words[] {
  return states.map((state) => {
    const { meaning, text } = WORDS[state];
    return { meaning, text: state === 'Halted' && haltedAt !== undefined ? `${text} at stage ${haltedAt}` : text };
  });
}
