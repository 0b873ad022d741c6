import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Drawn at first, and with each click. */
const FEW = 50;
const MORE = 200;

interface SomeProps<T> {
  readonly items: readonly T[];
  readonly class?: string;
  readonly children: (item: T, index: number) => ComponentChildren;
}

/** The first of many, and the way to the others: a page draws as much as somebody wants to see. */
export function Some<T>({ items, children, class: style }: SomeProps<T>) {
  const [shown, show] = useState(FEW);
  const left = items.length - shown;
  return (
    <ul class={style}>
      {items.slice(0, shown).map((item, index) => children(item, index))}
      {left <= 0 ? null : (
        <li>
          and {left.toLocaleString()} more{' '}
          <button type="button" class="small" onClick={() => show(shown + MORE)}>
            Show {Math.min(left, MORE)} more
          </button>
        </li>
      )}
    </ul>
  );
}

/** Titles with their texts, in order; what is empty is left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(([title, text]) =>
        text === '' ? null : (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface PagerProps {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly ask: (page: number) => void;
}

/** Nothing if all is on one page. */
export function Pager({ page, limit, total, ask }: PagerProps) {
  const pages = Math.max(1, Math.ceil(total / limit));
  if (pages === 1 && page === 1) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={page <= 1} onClick={() => ask(page - 1)}>
        Previous
      </button>
      <span>
        Page {page} of {pages}
      </span>
      <button type="button" disabled={page >= pages} onClick={() => ask(page + 1)}>
        Next
      </button>
    </nav>
  );
}
