import type { RevisionState } from '#controllers/read-model/history-view.js';
import type { Meaning } from '#controllers/read-model/state-meaning.js';

/** What can be said of a revision, as a person reads it. */
export const REVISION_WORDS: Readonly<Record<RevisionState, { readonly meaning: Meaning; readonly text: string }>> = {
  Current: { meaning: 'good', text: 'What the spec says now' },
  RollingOut: { meaning: 'moving', text: 'Being rolled out' },
  RolledOut: { meaning: 'good', text: 'Rolled out' },
  RolledBack: { meaning: 'bad', text: 'Rolled back' },
  LastGood: { meaning: 'good', text: 'Last good one' },
  Pinned: { meaning: 'idle', text: 'Pinned' },
  NotKept: { meaning: 'idle', text: 'Not kept' },
};
