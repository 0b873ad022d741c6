/** One revision of a history, as far as this needs to know it. */
interface Numbered {
  readonly revision: number;
}

/** The last one first. */
export function newestFirst<Revision extends Numbered>(revisions: readonly Revision[]): Revision[] {
  return [...revisions].sort((one, other) => other.revision - one.revision);
}

/** A number is never given twice, so that one that is in use never comes to mean something else. */
export function nextNumber(kept: readonly Numbered[], ...known: readonly number[]): number {
  return Math.max(0, ...kept.map(({ revision }) => revision), ...known) + 1;
}

/** The revisions that may go when the newest `limit` are kept, and those in use. */
export function superfluous<Revision extends Numbered>(
  revisions: readonly Revision[],
  limit: number,
  used: ReadonlySet<number>,
): Revision[] {
  return newestFirst(revisions)
    .slice(limit)
    .filter(({ revision }) => !used.has(revision));
}
