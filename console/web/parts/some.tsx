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
