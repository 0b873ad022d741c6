import type { ComponentChildren } from 'preact';
import type { Problem } from '../data/model/problem.js';

/** Instead of what cannot be shown: what is so, and what can be done. */
export function Notice({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <section class="notice" role="status">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A banner for each text, with the title in front of it. */
export function Banners({ texts, title = '' }: { texts: readonly string[]; title?: string }) {
  return (
    <>
      {texts.map((text, index) => (
        <p key={index} class="banner message">
          {title === '' ? null : <strong>{title}: </strong>}
          {text}
        </p>
      ))}
    </>
  );
}

export function ProblemNotice({ problem }: { problem: Problem }) {
  return (
    <Notice title={problem.title}>
      <p>{problem.text}</p>
    </Notice>
  );
}

/** Above what the server said last. */
export function StaleBanner({ problem, at }: { problem: Problem; at: number }) {
  return (
    <p class="banner" role="alert">
      <strong>{problem.title}.</strong> This is how it was at {new Date(at).toLocaleTimeString()}; it is asked again.
    </p>
  );
}

const ROWS = [0, 1, 2, 3, 4, 5];

export function Loading({ what }: { what: string }) {
  return (
    <div class="loading" role="status">
      <p>Loading {what} …</p>
      {ROWS.map((row) => (
        <div key={row} class="bar" aria-hidden="true" />
      ))}
    </div>
  );
}
