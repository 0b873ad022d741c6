import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { type Changed, useLive } from './live.js';
import { problemOf, type Problem, type ProblemKind } from './model/problem.js';
import { request, type Answer } from './request.js';
import { useSession } from '../session/session.js';
import { stillness } from './stillness.js';
import { Waiting, type Times } from './waiting.js';
import { Loading, ProblemNotice, StaleBanner } from '../parts/notice.js';

/** What the server says now, or what it said last and why there is nothing newer. */
export interface Polled<T> {
  readonly value?: T;
  readonly problem?: Problem;
  /** Epoch milliseconds of the value. */
  readonly at: number;
}

const EVERY_MS = 5_000;
/** While the server tells what changes: what it does not tell is, e.g., a right that was taken away. */
const LIVE_MS = 60_000;
const MOST_MS = 30_000;
const CALLED_MS = 300;
/** For an answer that is not read while the user scrolls. */
const PATIENT_MS = 30_000;
/** What takes long to answer is asked for less often: changes cost the server at most this part of its time. */
const PART = 10;
/** What was shown may not, or cannot, be shown any longer. */
const FINAL: readonly ProblemKind[] = ['login', 'forbidden', 'missing'];

/** How an answer is asked for that says only what is new. */
export interface Updates<T, U> {
  /** Path of what changed since the answer with the tag. */
  readonly path: (tag: string) => string;
  /** `answer`: the whole, if the server does not know what changed. */
  readonly merged: (before: T, answer: T | U) => T;
}

interface Poll<T, U> {
  readonly path: string;
  readonly updates: Updates<T, U> | undefined;
  readonly signal: AbortSignal;
  readonly waiting: Waiting;
  /** True: changes are told. */
  readonly isTold: () => boolean;
  readonly end: (problem: Problem) => void;
  readonly set: (next: (before: Polled<T>) => Polled<T>) => void;
}

function timesAfter(failures: number, isTold: boolean, tookMs: number): Times {
  const ms = isTold && failures === 0 ? LIVE_MS : Math.min(MOST_MS, EVERY_MS * 2 ** Math.max(0, failures - 1));
  return { ms, calledMs: Math.min(EVERY_MS, Math.max(CALLED_MS, PART * tookMs)) };
}

/** What was answered last. */
interface Known<T> {
  readonly value: T;
  readonly tag: string;
}

async function ask<T, U>(
  { path, updates, signal }: Poll<T, U>,
  known: Known<T> | undefined,
): Promise<Answer<T> | undefined> {
  // What is shown first is waited for.
  if (known === undefined) return request<T>(path, { signal });
  const patient = { signal, known: known.tag, beforeReading: () => stillness.until(signal), limitMs: PATIENT_MS };
  if (updates === undefined) return request<T>(path, patient);
  const answer = await request<T | U>(updates.path(known.tag), patient);
  if (answer === undefined || 'failure' in answer) return answer;
  try {
    return { ...answer, value: updates.merged(known.value, answer.value) };
  } catch (error: unknown) {
    // A server of another version: what it said before stays, as with each other failure.
    return { failure: { text: String(error) } };
  }
}

async function poll<T, U>(asked: Poll<T, U>): Promise<void> {
  const { signal, waiting, isTold, end, set } = asked;
  const isOver = (): boolean => signal.aborted;
  let known: Known<T> | undefined;
  let failures = 0;
  while (!isOver()) {
    const began = performance.now();
    const answer = await ask(asked, known);
    if (isOver()) return;
    failures = answer !== undefined && 'failure' in answer ? failures + 1 : 0;
    if (answer === undefined) {
      set(({ value }) => ({ ...(value === undefined ? {} : { value }), at: Date.now() }));
    } else if ('value' in answer) {
      known = answer;
      set(() => ({ value: answer.value, at: Date.now() }));
    } else {
      const problem = problemOf(answer.failure);
      if (problem.kind === 'login') {
        end(problem);
        return;
      }
      if (FINAL.includes(problem.kind)) known = undefined;
      set((before) => (FINAL.includes(problem.kind) ? { problem, at: 0 } : { ...before, problem }));
    }
    await waiting.until(timesAfter(failures, isTold(), performance.now() - began), signal);
  }
}

/**
 * Asks again and again while the page can be seen. What is about Applications says which changes `concern` it, and is
 * then asked for when the server tells of one. `updates`: how to ask for less than the whole; always the same ones.
 */
export function usePolled<T, U = never>(
  path: string,
  concern?: (changed: Changed) => boolean,
  updates?: Updates<T, U>,
): Polled<T> {
  const { end, epoch } = useSession();
  const live = useLive();
  const shown = useRef(path);
  const [polled, set] = useState<Polled<T>>({ at: 0 });
  useEffect(() => {
    const stop = new AbortController();
    const waiting = new Waiting();
    if (shown.current !== path) set({ at: 0 });
    shown.current = path;
    const isTold = (): boolean => concern !== undefined && live.isLive;
    const unsubscribe = live.subscribe((changed) => {
      if (concern !== undefined && (changed === undefined || concern(changed))) waiting.call();
    });
    void poll({ path, updates, signal: stop.signal, waiting, isTold, end, set });
    return () => {
      unsubscribe();
      stop.abort();
    };
  }, [path, epoch]);
  return polled;
}

interface ShownProps<T> {
  readonly polled: Polled<T>;
  /** Names what is loaded, for the text that is shown meanwhile. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows the newest answer of the server, and otherwise why there is none or why it is old. */
export function Shown<T>({ polled: { value, problem, at }, what, children }: ShownProps<T>) {
  if (value === undefined) return problem === undefined ? <Loading what={what} /> : <ProblemNotice problem={problem} />;
  return (
    <>
      {problem === undefined ? null : <StaleBanner problem={problem} at={at} />}
      {children(value)}
    </>
  );
}
