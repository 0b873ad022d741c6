import { takeToken, type TokenBucket } from './token-bucket.js';

/** An idle client may make 20 retries in a row; in the long run at most every fifth request is a retry. */
const RULE = { burst: 20, refill: 5 };

/**
 * Limits retries to a share of the requests, so that a server in trouble is not asked several times as often as one in
 * health: a token bucket whose clock counts requests.
 */
export class RetryBudget {
  #requests = 0;
  #bucket: TokenBucket | undefined;

  /** A request that is no retry. */
  deposit(): void {
    this.#requests += 1;
  }

  /** True when a retry may be made now; it is paid then. */
  withdraw(): boolean {
    const { taken, ...bucket } = takeToken(RULE, this.#bucket, this.#requests);
    this.#bucket = bucket;
    return taken;
  }
}
