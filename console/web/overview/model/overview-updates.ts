import type { Overview, OverviewRow, OverviewUpdate } from '#queries/views/overview.js';
import { keyOf } from '#lib/kube/keys.js';

const PATH = '/api/v1/overview';

/** Rows that did not change stay the same objects, and nothing changed is the same overview. */
function merged(before: Overview, { changed, removed }: OverviewUpdate): Overview {
  if (changed.length === 0 && removed.length === 0) return before;
  const fresh = new Map(changed.map((row) => [keyOf(row), row]));
  const gone = new Set(removed);
  const rows: OverviewRow[] = [];
  for (const row of before.applications) {
    const key = keyOf(row);
    if (!gone.has(key)) rows.push(fresh.get(key) ?? row);
    fresh.delete(key);
  }
  return { ...before, applications: [...rows, ...fresh.values()] };
}

/** All Applications by clusters, and how to ask only for what changed in it. */
export const OVERVIEW = {
  path: PATH,
  updates: {
    path: (tag: string): string => `${PATH}?since=${encodeURIComponent(tag.replaceAll('"', ''))}`,
    merged: (before: Overview, answer: Overview | OverviewUpdate): Overview =>
      'applications' in answer ? answer : merged(before, answer),
  },
};
