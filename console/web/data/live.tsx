import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { EventReader } from './model/event-reader.js';
import { pageHeaders } from './request.js';

/** Milliseconds until a stream must have begun: some proxies keep what they get until it ends. */
const BEGIN_MS = 8_000;
/** Milliseconds without a sign of life; the server gives one every 15 seconds. */
const SILENCE_MS = 40_000;
/** Milliseconds that a page is hidden until its stream is given to others. */
const HIDDEN_MS = 10_000;
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 60_000;

/** An Application of which something changed. */
export interface Changed {
  readonly namespace: string;
  readonly name: string;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Undefined: anything may have changed. */
  readonly tell: (changed: Changed | undefined) => void;
  /** True: each change is told from now on. */
  readonly setLive: (isLive: boolean) => void;
}

/** Calls when nothing called it for a while. */
function watchdog(ms: number, bark: () => void): { readonly again: (ms: number) => void; readonly stop: () => void } {
  let timer = setTimeout(bark, ms);
  const stop = (): void => clearTimeout(timer);
  const again = (next: number): void => {
    stop();
    timer = setTimeout(bark, next);
  };
  return { again, stop };
}

/** Ends what nobody looks at. */
function whenHidden(end: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = (): void => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(end, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', follow);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', follow);
  };
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look, { once: true });
    look();
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function handle(name: string, data: string, { tell, setLive }: StreamOptions): void {
  if (name === 'ready' || name === 'reset') {
    setLive(true);
    tell(undefined);
  } else if (name === 'added' || name === 'updated' || name === 'deleted') {
    // The server is of the same version as this page.
    tell(JSON.parse(data) as Changed);
  }
}

async function readAll(
  body: ReadableStream<Uint8Array>,
  reader: EventReader,
  heard: () => void,
  options: StreamOptions,
) {
  const pieces = body.getReader();
  const decoder = new TextDecoder();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    heard();
    const text = decoder.decode(piece.value, { stream: true });
    for (const { name, data } of reader.push(text)) handle(name, data, options);
  }
}

/** Until the stream ends, for whatever reason. Returns where to go on; undefined if there was none. */
async function once(lastId: string, options: StreamOptions): Promise<string | undefined> {
  const end = new AbortController();
  const stop = (): void => end.abort();
  options.signal.addEventListener('abort', stop);
  const silence = watchdog(BEGIN_MS, stop);
  const forget = whenHidden(stop);
  const reader = new EventReader(lastId);
  const progress = { isBegun: false };
  try {
    const headers = { ...pageHeaders(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
    const { ok, body } = await fetch('/api/v1/changes', { headers, signal: end.signal, cache: 'no-store' });
    if (!ok || body === null) return undefined;
    const heard = (): void => {
      progress.isBegun = true;
      silence.again(SILENCE_MS);
    };
    await readAll(body, reader, heard, options);
  } catch {
    // It is asked for again, and the pages ask by themselves meanwhile.
  } finally {
    silence.stop();
    forget();
    stop();
    options.signal.removeEventListener('abort', stop);
  }
  return progress.isBegun ? reader.lastId : undefined;
}

/** Follows the changes of Applications while the page can be seen. */
async function followChanges(options: StreamOptions): Promise<void> {
  const { signal, setLive } = options;
  const isOver = (): boolean => signal.aborted;
  let lastId = '';
  let failures = 0;
  while (!isOver()) {
    await untilVisible(signal);
    const next = isOver() ? undefined : await once(lastId, options);
    setLive(false);
    failures = next === undefined ? failures + 1 : 0;
    lastId = next ?? lastId;
    const retryMs = Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
    await pause(failures > 0 ? retryMs : Math.random() * 1_000, signal);
  }
}

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
