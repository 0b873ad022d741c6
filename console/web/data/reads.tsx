import pLimit from 'p-limit';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { problemOf, type Problem, type ProblemKind } from './model/problem.js';
import { request, type Answer } from './request.js';
import { useSession } from '../session/session.js';
import { Waiting } from './waiting.js';
import { Loading, ProblemNotice } from '../parts/notice.js';

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
/** What is over by itself is asked again, less and less often: clusters may be slow because they are asked. */
const PASSING: readonly ProblemKind[] = ['disconnected', 'starting'];
const RETRY_MS = 5_000;
const MOST_RETRY_MS = 60_000;

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

function problemIn(answer: Answer<unknown> | undefined): Problem | undefined {
  return answer === undefined || 'value' in answer ? undefined : problemOf(answer.failure);
}

/**
 * Asks once for each of these paths, and again when it is told to, or got no answer: for what is read from clusters, each by itself, so
 * that one of them that hangs does not hold up the others.
 */
export function useReads<T>(paths: readonly string[]): Reads<T> {
  const { end, epoch } = useSession();
  const [reads, set] = useState<ReadonlyMap<string, Read<T>>>(new Map());
  const [stop] = useState(() => new AbortController());
  const asked = useRef(new Set<string>());
  const running = useRef(new Map<string, Waiting>());
  const put = (path: string, change: (before: Read<T> | undefined) => Read<T>): void => {
    set((all) => new Map(all).set(path, change(all.get(path))));
  };
  const read = async (path: string, waiting: Waiting): Promise<void> => {
    for (let ms = RETRY_MS; ; ms = Math.min(MOST_RETRY_MS, 2 * ms)) {
      const answer = await turns(() => (stop.signal.aborted ? undefined : answered<T>(path, stop.signal)));
      if (stop.signal.aborted) return;
      put(path, (before) => next(before, answer));
      const problem = problemIn(answer);
      if (problem?.kind === 'login') end(problem);
      if (problem === undefined || !PASSING.includes(problem.kind)) break;
      await waiting.until({ ms, calledMs: 0 }, stop.signal);
    }
    running.current.delete(path);
  };
  const again = (path: string): void => {
    asked.current.add(path);
    put(path, (before) => ({ ...(before ?? BEGUN), isReading: true }));
    const waits = running.current.get(path);
    waits?.call();
    if (waits !== undefined) return;
    const waiting = new Waiting();
    running.current.set(path, waiting);
    void read(path, waiting);
  };
  useEffect(() => {
    for (const path of paths) if (!asked.current.has(path)) again(path);
  }, [paths.join('\n')]);
  useEffect(() => {
    // The same user is back.
    for (const [path, { problem }] of reads) if (problem?.kind === 'login') again(path);
  }, [epoch]);
  useEffect(() => () => stop.abort(), []);
  return { of: (path) => reads.get(path) ?? BEGUN, again };
}

interface ReadHeadProps {
  readonly read: Read<unknown>;
  /** Names what is read, for those who cannot see where the button stands. */
  readonly what: string;
  readonly again: () => void;
}

/** When it was read, and the way to have it read again. */
export function ReadHead({ read: { isReading, at }, what, again }: ReadHeadProps) {
  return (
    <p class="read-head">
      {at === 0 ? null : <span class="hint">Read at {new Date(at).toLocaleTimeString()}</span>}
      <button
        type="button"
        class="small"
        disabled={isReading}
        aria-label={`${isReading ? 'Reading …' : 'Read again'}: ${what}`}
        onClick={again}
      >
        {isReading ? 'Reading …' : 'Read again'}
      </button>
    </p>
  );
}

interface ReadValueProps<T> {
  readonly read: Read<T>;
  /** Names what is read, for the text that is shown meanwhile. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the value that was read, and otherwise why it could not be read or why it is old. */
export function ReadValue<T>({ read: { value, problem, isReading }, what, children }: ReadValueProps<T>) {
  if (value === undefined) {
    return problem === undefined || isReading ? <Loading what={what} /> : <ProblemNotice problem={problem} />;
  }
  return (
    <>
      {problem === undefined ? null : (
        <p class="banner" role="alert">
          <strong>{problem.title}.</strong> {problem.text} This is what was read before.
        </p>
      )}
      {children(value)}
    </>
  );
}
