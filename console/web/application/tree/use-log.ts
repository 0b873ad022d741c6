import { useEffect, useRef, useState } from 'preact/hooks';
import { appended, EMPTY_LOG, type LogText } from '../model/log-text.js';
import { problemOf, type Failure, type Problem } from '../../data/model/problem.js';
import { pageHeaders } from '../../data/request.js';
import { useSession } from '../../session/session.js';

type LogPhase = 'reading' | 'ended' | 'stopped' | 'failed';

export interface Log {
  readonly text: LogText;
  readonly phase: LogPhase;
  readonly problem?: Problem;
}

/** A container may print faster than anybody reads. */
const DRAW_MS = 100;
const BEGUN: Log = { text: EMPTY_LOG, phase: 'reading' };

/** Reads a text as it comes. Never throws; undefined at its end. */
async function readText(path: string, signal: AbortSignal, hear: (text: string) => void): Promise<Failure | undefined> {
  try {
    const response = await fetch(path, { headers: pageHeaders(), signal });
    if (!response.ok) return { code: response.status, text: await response.text() };
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done = true, value } = (await reader?.read()) ?? {};
      if (done) return undefined;
      hear(decoder.decode(value, { stream: true }));
    }
  } catch (error: unknown) {
    return { text: String(error) };
  }
}

interface LogPaths {
  readonly path: string;
  /** Of one that is followed: it has no lines, and says why there are no more. */
  readonly pathOfNone?: string;
}

/** The output at this path as far as it has come, until it is stopped. Another `turn` reads it anew. */
export function useLog({ path, pathOfNone }: LogPaths, turn: number): { readonly log: Log; readonly stop: () => void } {
  const { end, epoch } = useSession();
  const [log, set] = useState<Log>(BEGUN);
  const [again, setAgain] = useState(epoch);
  const stopping = useRef<() => void>(() => undefined);
  useEffect(() => {
    const over = new AbortController();
    let text = EMPTY_LOG;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer = undefined;
      set({ text, phase: 'reading' });
    };
    const conclude = (phase: LogPhase, problem?: Problem): void => {
      clearTimeout(timer);
      over.abort();
      set({ text, phase, ...(problem === undefined ? {} : { problem }) });
    };
    const hear = (part: string): void => {
      text = appended(text, part);
      timer ??= setTimeout(draw, DRAW_MS);
    };
    set(BEGUN);
    stopping.current = () => conclude('stopped');
    const read = async (): Promise<Failure | undefined> => {
      const failure = await readText(path, over.signal, hear);
      const isOver = failure !== undefined || pathOfNone === undefined || over.signal.aborted;
      return isOver ? failure : readText(pathOfNone, over.signal, () => undefined);
    };
    void read().then((failure) => {
      if (over.signal.aborted) return;
      const problem = failure === undefined ? undefined : problemOf(failure);
      if (problem?.kind === 'login') end(problem);
      conclude(problem === undefined ? 'ended' : 'failed', problem);
    });
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [path, turn, again]);
  useEffect(() => {
    // The same user is back, and what he follows is of the session that is over.
    const isFollowed = pathOfNone !== undefined && log.phase === 'reading';
    if (isFollowed || log.problem?.kind === 'login') setAgain(epoch);
  }, [epoch]);
  return { log, stop: () => stopping.current() };
}
