import type { HistoryAnswer, HistoryView, ShownDifferences } from '#queries/answers/revisions.js';
import type { Difference } from '#lib/json/field-changes.js';
import { printJson } from '#lib/json/lossless-json.js';
import { cut } from '#lib/text/text.js';

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

const MOST = 500;
const MOST_CHARACTERS = 2_000;

function shown(value: unknown): string {
  return value === undefined || value === null ? '' : cut(printJson(value), MOST_CHARACTERS);
}

/** As much of what differs as a page has room for. */
export function shownDifferences(differences: readonly Difference[]): ShownDifferences {
  const first = differences.slice(0, MOST);
  return {
    differences: first.map(({ path, old, new: next }) => ({
      path: cut(path, MOST_CHARACTERS),
      old: shown(old),
      new: shown(next),
    })),
    more: differences.length - first.length,
  };
}
