import type { ComponentChildren } from 'preact';
import { Loading, ProblemNotice, StaleBanner } from '../parts/notice.js';
import type { Polled } from './use-polled.js';

interface ShownProps<T> {
  readonly polled: Polled<T>;
  /** What is loaded, for those who wait for it. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** What the server says, and otherwise why it cannot be shown, or is old. */
export function Shown<T>({ polled: { value, problem, at }, what, children }: ShownProps<T>) {
  if (value === undefined) return problem === undefined ? <Loading what={what} /> : <ProblemNotice problem={problem} />;
  return (
    <>
      {problem === undefined ? null : <StaleBanner problem={problem} at={at} />}
      {children(value)}
    </>
  );
}
