import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo } from 'preact/hooks';
import { Waiting } from './waiting.js';
import { EventReader, type ServerEvent } from './model/event-reader.js';
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

type Listener = (changed: Changed | undefined) => void;

/** Passes on what the server reports by itself to all who subscribe. */
export class Live {
  /** False: who wants to know has to ask. */
  isLive = false;
  readonly #listeners = new Set<Listener>();

  /** Undefined is told when anything may have changed, and when nothing is told any more. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(changed: Changed | undefined): void {
    for (const listener of this.#listeners) listener(changed);
  }

  setLive(isLive: boolean): void {
    const wasLive = this.isLive;
    this.isLive = isLive;
    if (wasLive && !isLive) this.tell(undefined);
  }
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

function handle({ name, data }: ServerEvent, live: Live): void {
  if (name === 'ready' || name === 'reset') {
    live.setLive(true);
    live.tell(undefined);
  } else if (name === 'added' || name === 'updated' || name === 'deleted') {
    // The server is of the same version as this page.
    live.tell(JSON.parse(data) as Changed);
  }
}

async function readAll(body: ReadableStream<Uint8Array>, hear: (text: string) => void): Promise<void> {
  const pieces = body.getReader();
  const decoder = new TextDecoder();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    hear(decoder.decode(piece.value, { stream: true }));
  }
}

/** Until the stream ends, for whatever reason. Returns where to go on; undefined if there was none. */
async function once(lastId: string, live: Live, signal: AbortSignal): Promise<string | undefined> {
  const end = new AbortController();
  const stop = (): void => end.abort();
  let silence = setTimeout(stop, BEGIN_MS);
  const forget = whenHidden(stop);
  const reader = new EventReader(lastId);
  const progress = { isBegun: false };
  try {
    const headers = { ...pageHeaders(), ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
    const either = AbortSignal.any([signal, end.signal]);
    const { ok, body } = await fetch('/api/v1/changes', { headers, signal: either, cache: 'no-store' });
    if (!ok || body === null) return undefined;
    await readAll(body, (text) => {
      progress.isBegun = true;
      clearTimeout(silence);
      silence = setTimeout(stop, SILENCE_MS);
      for (const event of reader.push(text)) handle(event, live);
    });
  } catch {
    // It is asked for again, and the pages ask by themselves meanwhile.
  } finally {
    clearTimeout(silence);
    forget();
    stop();
  }
  return progress.isBegun ? reader.lastId : undefined;
}

/** Follows the changes of Applications while the page can be seen. */
async function followChanges(live: Live, signal: AbortSignal): Promise<void> {
  const isOver = (): boolean => signal.aborted;
  const waiting = new Waiting();
  let lastId = '';
  let failures = 0;
  let ms = 0;
  while (!isOver()) {
    await waiting.until({ ms, calledMs: 0 }, signal);
    const next = isOver() ? undefined : await once(lastId, live, signal);
    live.setLive(false);
    failures = next === undefined ? failures + 1 : 0;
    lastId = next ?? lastId;
    const retryMs = Math.min(MOST_RETRY_MS, RETRY_MS * 2 ** (failures - 1));
    ms = failures > 0 ? retryMs : Math.random() * 1_000;
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
    void followChanges(live, stop.signal);
    return () => stop.abort();
  }, [isOn]);
  return <Context.Provider value={live}>{children}</Context.Provider>;
}
