import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { linkSignals, untilAborted } from './signals.js';

/** What passes may still take after they were cancelled. */
const CANCELLED_LIMIT_MS = 10_000;

export interface ShutdownOptions {
  /** No pass begins after it; those that run may end. */
  readonly stop: AbortSignal;
  /** Running passes are cancelled with it; by default only when their time is up. */
  readonly cancel?: AbortSignal | undefined;
  /** Milliseconds between `stop` and the end of that time. */
  readonly timeoutMs: number;
}

/** An orderly end in its steps: nothing begins, what runs may end, what still runs is cancelled, and not waited for. */
export class Shutdown {
  /** No pass begins any more. */
  readonly stopping: AbortSignal;
  readonly #cancelling = new AbortController();
  readonly #unlink: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor({ stop, cancel, timeoutMs }: ShutdownOptions) {
    const linked = linkSignals([stop, cancel]);
    this.stopping = linked.signal;
    this.#unlink = linked.unlink;
    // Every worker listens to them: that is no leak.
    setMaxListeners(0, this.stopping, this.cancelling);
    const begin = (): void => {
      this.#timer = setTimeout(() => this.#cancel(new Error('the shutdown timeout has passed')), timeoutMs);
      if (cancel === undefined) return;
      if (cancel.aborted) this.#cancel(cancel.reason);
      else cancel.addEventListener('abort', () => this.#cancel(cancel.reason), { once: true });
    };
    if (this.stopping.aborted) begin();
    else this.stopping.addEventListener('abort', begin, { once: true });
  }

  /** Running passes are cancelled. */
  get cancelling(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** Resolves after the stop, when `work` has ended or its time is up. Never rejects; `work` must not, either. */
  async drained(work: Promise<unknown>): Promise<void> {
    await untilAborted(this.stopping);
    const givenUp = new AbortController();
    await Promise.race([work, this.#untilGivenUp(givenUp.signal)]);
    givenUp.abort();
    clearTimeout(this.#timer);
    this.#unlink();
  }

  async #untilGivenUp(over: AbortSignal): Promise<void> {
    await untilAborted(this.cancelling);
    await delay(CANCELLED_LIMIT_MS, undefined, { signal: over }).catch(() => undefined);
  }

  #cancel(reason: unknown): void {
    clearTimeout(this.#timer);
    this.#cancelling.abort(reason);
  }
}
