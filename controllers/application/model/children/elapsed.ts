/** Two clocks: one that is set forward shortens no wait that the other one measures. */
export interface Clocks {
  /** Milliseconds since 1970, by the clock that users may set. */
  readonly nowMs: number;
  /** Milliseconds of a clock that nobody sets. */
  readonly steadyMs: number;
}

/** How long things have been so. */
export interface Elapsed extends Pick<Clocks, 'steadyMs'> {
  /** Since when children have been about to leave or to move, by `fateText`, in `steadyMs`. */
  readonly unmatchedSince: ReadonlyMap<string, number>;
  /** Milliseconds for which removals still count at least, by their `until`. */
  readonly countedLeftMs: ReadonlyMap<string, number>;
}

/** The part that is known at one moment; see `elapsedOf`. */
export type ElapsedLookups = Pick<Elapsed, 'unmatchedSince'> & Partial<Elapsed>;

/** Defaults: the time of the clock that users may set, and no removals. */
export function elapsedOf({ unmatchedSince, ...known }: ElapsedLookups, nowMs: number): Elapsed {
  const { steadyMs = nowMs, countedLeftMs = new Map<string, number>() } = known;
  return { steadyMs, unmatchedSince, countedLeftMs };
}

/** Milliseconds for which a fate has been the same; 0 when it is new. */
export function unmatchedMs({ steadyMs, unmatchedSince }: Omit<Elapsed, 'countedLeftMs'>, fate: string): number {
  return steadyMs - (unmatchedSince.get(fate) ?? steadyMs);
}
