/** Bytes in the store; content that several artifacts share counts once. */
export interface Usage {
  readonly total: number;
  /** Of the namespace that wants to store. */
  readonly namespace: number;
}

/** No namespace gets more of the quota, so that none can fill the store for all. */
const NAMESPACE_SHARE = 0.5;

/** Why `bytes` more cannot be stored, without a number that changes from try to try; undefined when they can. */
export function quotaProblem(quotaBytes: number, used: Usage, bytes: number): string | undefined {
  const way = 'exclude files with spec.ignore, or raise --storage-quota of the controller';
  const quota = `${quotaBytes} bytes`;
  if (used.namespace + bytes > quotaBytes * NAMESPACE_SHARE) {
    return `no room for an artifact of ${bytes} bytes: the namespace would use more than half of the store's quota of ${quota}: ${way}`;
  }
  if (used.total + bytes > quotaBytes) {
    return `no room for an artifact of ${bytes} bytes: the store's quota of ${quota} is used up: ${way}`;
  }
  return undefined;
}
