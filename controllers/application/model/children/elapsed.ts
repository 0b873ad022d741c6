/** How long things have been so, by a clock that nobody sets: a clock that is set forward shortens no wait. */
export interface Elapsed {
  /** Milliseconds of that clock. */
  readonly steadyMs: number;
  /** Since when children have been about to leave or to move, by `fateText`, in `steadyMs`. */
  readonly unmatchedSince: ReadonlyMap<string, number>;
  /** Milliseconds for which removals still count at least, by their `until`. */
  readonly countedLeftMs: ReadonlyMap<string, number>;
}

/** What is known of it at one moment. Defaults: the time of users, and no removals. */
export type ElapsedLookups = Pick<Elapsed, 'unmatchedSince'> & Partial<Elapsed>;

/** With the defaults for what is not known. */
export function elapsedOf({ unmatchedSince, ...known }: ElapsedLookups, nowMs: number): Elapsed {
  const { steadyMs = nowMs, countedLeftMs = new Map<string, number>() } = known;
  return { steadyMs, unmatchedSince, countedLeftMs };
}

/** Milliseconds for which a fate has been the same; 0 when it is new. */
export function unmatchedMs({ steadyMs, unmatchedSince }: Omit<Elapsed, 'countedLeftMs'>, fate: string): number {
  return steadyMs - (unmatchedSince.get(fate) ?? steadyMs);
}
