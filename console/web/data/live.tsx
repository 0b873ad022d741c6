import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { followChanges, type Changed } from './change-stream.js';

type Listener = (changed: Changed | undefined) => void;

/** What the server tells by itself, to all who want to know. */
export class Live {
  #isLive = false;
  readonly #listeners = new Set<Listener>();

  /** False: who wants to know has to ask. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Undefined is told when anything may have changed, and when nothing is told any more. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(changed: Changed | undefined): void {
    for (const listener of this.#listeners) listener(changed);
  }

  setLive(isLive: boolean): void {
    const wasLive = this.#isLive;
    this.#isLive = isLive;
    if (wasLive && !isLive) this.tell(undefined);
  }
}

const Context = createContext<Live>(new Live());

export function useLive(): Live {
  return useContext(Context);
}

/** One stream for all of the page, while somebody is signed in. */
export function WithLive({ isOn, children }: { isOn: boolean; children: ComponentChildren }) {
  const live = useMemo(() => new Live(), []);
  useEffect(() => {
    if (!isOn) return undefined;
    const stop = new AbortController();
    const tell: Listener = (changed) => live.tell(changed);
    void followChanges({ signal: stop.signal, tell, setLive: (isLive) => live.setLive(isLive) });
    return () => stop.abort();
  }, [isOn]);
  return <Context.Provider value={live}>{children}</Context.Provider>;
}
