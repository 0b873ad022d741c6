/** How far a build is. */
export interface BuildProgress {
  /** Packages that were compiled. */
  readonly done: number;
  /** Packages to compile, 0 until that is known. */
  readonly total: number;
  /** Since the build began, or since the total is known. */
  readonly elapsedMs: number;
}

/** Below this, the pace is not known well enough to tell the time that is left. */
const FEWEST_FOR_ESTIMATE = 100;

/** The last part of a build: programs are linked, which no package reports. */
const LINKING_FROM = 0.99;

function duration(ms: number): string {
  return ms < 90_000 ? `${Math.max(1, Math.round(ms / 10_000)) * 10} s` : `${Math.round(ms / 60_000)} min`;
}

/** One line for people who wait. */
export function progressLine({ done, total, elapsedMs }: BuildProgress): string {
  if (total === 0) return `fetching and reading Go modules, ${Math.round(elapsedMs / 1_000)} s`;
  const count = `compiling: ${done} of ${total} packages`;
  if (done >= total * LINKING_FROM) return `${count}, then linking`;
  if (done < FEWEST_FOR_ESTIMATE) return count;
  return `${count}, about ${duration((elapsedMs * (total - done)) / done)} left`;
}

/** True for a line that `go build -v` writes for a package, in contrast to the words of a compiler. */
export function isPackageLine(line: string): boolean {
  return /^[\w.~-]+(\/[\w.~-]+)*$/.test(line);
}
