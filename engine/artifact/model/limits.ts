/** Bytes in the store; content that several artifacts share counts once. */
export interface Usage {
  readonly total: number;
  /** Of the namespace that wants to store. */
  readonly namespace: number;
  /** Of the owner that wants to store, and of nobody else: what it stores replaces that. */
  readonly owner: number;
}

export interface QuotaProblem {
  /** Whose files take the room. */
  readonly scope: 'namespace' | 'store';
  readonly message: string;
}

/** No namespace gets more of the quota, so that none can fill the store for all. */
const NAMESPACE_SHARE = 0.5;
/** The rest is for what is fetched and unpacked: mirrors of git, checkouts, indexes. */
const VOLUME_SHARE = 0.75;

/** The quota of a store on a volume of so many bytes; undefined if the volume does not tell its size. */
export function quotaOfVolume(volumeBytes: number): number | undefined {
  return volumeBytes > 0 ? Math.floor(volumeBytes * VOLUME_SHARE) : undefined;
}

/**
 * Why `bytes` more cannot be stored, without a number that changes from try to try; undefined when they can. What they
 * replace stays for a while and is not counted, up to the share of a namespace.
 */
export function quotaProblem(quotaBytes: number, used: Usage, bytes: number): QuotaProblem | undefined {
  const way = 'exclude files with spec.ignore, or raise --storage-quota of the controller';
  const quota = `${quotaBytes} bytes`;
  const share = quotaBytes * NAMESPACE_SHARE;
  const added = bytes - Math.min(used.owner, share);
  if (used.namespace + added > share) {
    const message = `no room for an artifact of ${bytes} bytes: the namespace would use more than half of the store's quota of ${quota}: ${way}`;
    return { scope: 'namespace', message };
  }
  if (used.total + added > quotaBytes) {
    const message = `no room for an artifact of ${bytes} bytes: the store's quota of ${quota} is used up: ${way}`;
    return { scope: 'store', message };
  }
  return undefined;
}

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
