import type { ComponentChildren } from 'preact';
import { Loading, ProblemNotice } from '../parts/notice.js';
import type { Read } from './use-reads.js';

interface ReadHeadProps {
  readonly read: Read<unknown>;
  /** What is read, for those who cannot see where the button stands. */
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
  /** What is read, for those who wait for it. */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}

/** What was read, and otherwise why it could not be, or is old. */
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
