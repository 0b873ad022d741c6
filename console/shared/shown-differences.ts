import type { ShownDifferences } from '#queries/answers/revisions.js';
import type { Difference } from '#lib/json/field-changes.js';
import { printJson } from '#lib/json/lossless-json.js';
import { cut } from '#lib/text/text.js';

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
