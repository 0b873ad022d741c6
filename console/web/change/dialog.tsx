import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/**
 * Above the page, which cannot be used until it is closed. The browser keeps the focus inside, closes it with Escape,
 * and gives the focus back to what opened it.
 */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={close}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}
