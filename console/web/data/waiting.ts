/** Milliseconds between two questions. */
export interface Times {
  readonly ms: number;
  /** After a call: changes come in numbers. */
  readonly calledMs: number;
}

/** Waits between two questions, unless somebody calls. */
export class Waiting {
  #isCalled = false;
  #call: () => void = () => undefined;

  /** Also while nobody waits: then the next time is short. */
  call(): void {
    this.#isCalled = true;
    this.#call();
  }

  /** Until the time is over or somebody calls, and the page can be seen. */
  until({ ms, calledMs }: Times, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let isDue = false;
      let timer = 0;
      const next = (): void => {
        if (!signal.aborted && (!isDue || document.hidden)) return;
        clearTimeout(timer);
        document.removeEventListener('visibilitychange', next);
        signal.removeEventListener('abort', next);
        this.#call = () => undefined;
        this.#isCalled = false;
        resolve();
      };
      const due = (): void => {
        isDue = true;
        next();
      };
      timer = window.setTimeout(due, this.#isCalled ? calledMs : ms);
      this.#call = () => {
        if (isDue) return;
        clearTimeout(timer);
        timer = window.setTimeout(due, calledMs);
        this.#call = () => undefined;
      };
      document.addEventListener('visibilitychange', next);
      signal.addEventListener('abort', next);
      next();
    });
  }
}
