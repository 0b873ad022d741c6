import type { HistoryAnswer, HistoryView } from '#queries/answers/revisions.js';

type Revision = HistoryView['revisions'][number] & { readonly moreChanges: number };

/** Fields that one revision names. */
const MOST_CHANGES = 50;

function shortened(revision: HistoryView['revisions'][number]): Revision {
  const changes = revision.changes.slice(0, MOST_CHANGES);
  return { ...revision, changes, moreChanges: revision.changes.length - changes.length };
}

export function historyAnswer({ revisions, unknown }: HistoryView, forbidden: readonly string[]): HistoryAnswer {
  return { revisions: revisions.map(shortened), unknown, forbidden };
}
