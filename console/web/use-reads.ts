import pLimit from 'p-limit';
import { useEffect, useRef, useState } from 'preact/hooks';
import { problemOf, type Problem } from './model/problem.js';
import { request, type Answer } from './request.js';
import { useSession } from './session.js';

/** What the server said last, and why there is nothing newer. */
export interface Read<T> {
  readonly value?: T;
  readonly problem?: Problem;
  /** True until the answer comes. */
  readonly isReading: boolean;
  /** Epoch milliseconds of the value. */
  readonly at: number;
}

export interface Reads<T> {
  readonly of: (path: string) => Read<T>;
  readonly again: (path: string) => void;
}

const BEGUN: Read<never> = { isReading: true, at: 0 };
/** Reads of clusters are costly: the server lets a user have three, on all of his pages. */
const turns = pLimit(2);
const TOO_MANY = 429;
const MOST_TRIES = 5;
const BUSY_MS = 2_000;

/** Until a turn is free: on another page, the same user may look at as much. */
async function answered<T>(path: string, signal: AbortSignal): Promise<Answer<T> | undefined> {
  for (let tries = 1; ; tries += 1) {
    const answer = await request<T>(path, { signal, exact: true });
    const isBusy = answer !== undefined && 'failure' in answer && answer.failure.code === TOO_MANY;
    if (!isBusy || tries === MOST_TRIES || signal.aborted) return answer;
    await new Promise((resolve) => setTimeout(resolve, BUSY_MS * tries));
  }
}

function next<T>(before: Read<T> | undefined, answer: Answer<T> | undefined): Read<T> {
  if (answer === undefined) return { ...(before ?? BEGUN), isReading: false };
  if ('value' in answer) return { value: answer.value, isReading: false, at: Date.now() };
  return { at: 0, ...before, problem: problemOf(answer.failure), isReading: false };
}

/**
 * Asks once for each of these paths, and again when it is told to: for what is read from clusters, each by itself, so
 * that one of them that hangs does not hold up the others.
 */
export function useReads<T>(paths: readonly string[]): Reads<T> {
  const { end } = useSession();
  const [reads, set] = useState<ReadonlyMap<string, Read<T>>>(new Map());
  const [stop] = useState(() => new AbortController());
  const asked = useRef(new Set<string>());
  const running = useRef(new Set<string>());
  const isOver = (): boolean => stop.signal.aborted;
  const put = (path: string, change: (before: Read<T> | undefined) => Read<T>): void => {
    set((all) => new Map(all).set(path, change(all.get(path))));
  };
  const read = async (path: string): Promise<void> => {
    if (isOver()) return;
    const answer = await answered<T>(path, stop.signal);
    running.current.delete(path);
    if (isOver()) return;
    put(path, (before) => next(before, answer));
    if (answer === undefined || 'value' in answer) return;
    const problem = problemOf(answer.failure);
    if (problem.kind === 'login') end(problem);
  };
  const again = (path: string): void => {
    asked.current.add(path);
    if (running.current.has(path)) return;
    running.current.add(path);
    put(path, (before) => ({ ...(before ?? BEGUN), isReading: true }));
    void turns(() => read(path));
  };
  useEffect(() => {
    for (const path of paths) if (!asked.current.has(path)) again(path);
  }, [paths.join('\n')]);
  useEffect(() => () => stop.abort(), []);
  return { of: (path) => reads.get(path) ?? BEGUN, again };
}
