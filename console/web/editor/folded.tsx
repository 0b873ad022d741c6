import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface FoldedProps {
  readonly title: ComponentChildren;
  readonly isBad: boolean;
  /** At first. */
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** One of many: only what was opened has fields, and what is typed there stays when it is folded. */
export function Folded({ title, isBad, isOpen: isOpenFirst, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const [wasOpen, setSeen] = useState(isOpenFirst);
  const toggle = (open: boolean): void => {
    setOpen(open);
    if (open) setSeen(true);
  };
  return (
    <li>
      <details open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
        <summary>
          {isBad ? <span class="bad">✗ Refused </span> : null}
          {title}
        </summary>
        {wasOpen ? children : null}
      </details>
    </li>
  );
}
