/** Milliseconds after its last scroll from which a page is still. */
const STILL_MS = 250;
/** Nobody scrolls for longer, but what is new is shown in the end. */
const MOST_MS = 10_000;

/** Knows whether the user scrolls, anywhere on the page. */
export class Stillness {
  #scrolledAt = -Infinity;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Scrolls do not bubble. */
  follow(page: EventTarget): void {
    page.addEventListener('scroll', () => this.scrolled(), { capture: true, passive: true });
  }

  scrolled(): void {
    this.#scrolledAt = this.#now();
  }

  /**
   * Until nobody scrolls: to read a long answer takes longer than a frame, and rows must not move away below a user's
   * eyes. Ten seconds at most.
   */
  async until(signal?: AbortSignal): Promise<void> {
    const end = this.#now() + MOST_MS;
    for (;;) {
      const left = Math.min(this.#scrolledAt + STILL_MS, end) - this.#now();
      if (left <= 0 || signal?.aborted === true) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }
}

export const stillness = new Stillness();
