import type { HistoryView } from '#queries/views/history-view.js';

type Revision = HistoryView['revisions'][number] & { readonly moreChanges: number };

/** The revisions of an Application, as a page shows them. */
export interface HistoryAnswer extends Pick<HistoryView, 'unknown'> {
  readonly revisions: readonly Revision[];
  /** Kinds of children that the user may not list: clusters that have one are missing. */
  readonly forbidden: readonly string[];
}

/** Fields that one revision names. */
const MOST_CHANGES = 50;

function shortened(revision: HistoryView['revisions'][number]): Revision {
  const changes = revision.changes.slice(0, MOST_CHANGES);
  return { ...revision, changes, moreChanges: revision.changes.length - changes.length };
}

export function historyAnswer({ revisions, unknown }: HistoryView, forbidden: readonly string[]): HistoryAnswer {
  return { revisions: revisions.map(shortened), unknown, forbidden };
}
