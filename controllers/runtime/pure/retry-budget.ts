/** Retries in a row that an idle client may make. */
const RESERVE = 20;
/** What each request adds to the budget: in the long run at most every fifth request is a retry. */
const SHARE = 0.2;

/**
 * Limits retries to a share of the requests (a token bucket), so that a server in trouble is not asked several times as
 * often as one in health.
 */
export class RetryBudget {
  #tokens = RESERVE;

  /** A request that is no retry. */
  deposit(): void {
    this.#tokens = Math.min(RESERVE, this.#tokens + SHARE);
  }

  /** True when a retry may be made now; it is paid then. */
  withdraw(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
