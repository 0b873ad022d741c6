import type { ComponentChildren } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { Notice } from './notice.js';

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** A page that cannot be drawn says so, and leaves the way to the others: an answer may be that of another version. */
export function Guarded({ children }: { children: ComponentChildren }) {
  const [error] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <h1>This page cannot be shown</h1>
      <Notice title="The server answers what the page does not understand">
        <p>It may have another version by now: load the page again. The error is: {messageOf(error)}</p>
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </Notice>
    </>
  );
}
