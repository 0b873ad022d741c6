/** A file that its owner replaced by another one. */
export interface ReplacedFile {
  readonly path: string;
  /** Since when, in milliseconds of a clock that never goes back. */
  readonly sinceMs: number;
}

/** Defaults of Flux: `--artifact-retention-ttl`, and `--artifact-retention-records` without the current one. */
const KEPT_MS = 60_000;
const KEPT_FILES = 1;

/**
 * Which replaced files of one owner may be removed: a consumer that read the status a moment ago still finds the file
 * that it named. The file that the status names is never among `replaced`.
 */
export function expiredFiles(replaced: readonly ReplacedFile[], nowMs: number): string[] {
  const newestFirst = [...replaced].sort((a, b) => b.sinceMs - a.sinceMs);
  const isExpired = ({ sinceMs }: ReplacedFile, index: number): boolean =>
    index >= KEPT_FILES || nowMs - sinceMs >= KEPT_MS;
  return newestFirst.filter(isExpired).map(({ path }) => path);
}
