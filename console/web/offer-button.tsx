import { useId } from 'preact/hooks';
import { useSay } from './said.js';

interface OfferButtonProps {
  readonly label: string;
  /** Why it cannot be done; empty if it can. */
  readonly refused: string;
  readonly take: () => void;
  readonly class?: string;
}

/** Opens a dialog, or says why it cannot: it can be reached either way, so that everybody hears the reason. */
export function OfferButton({ label, refused, take, class: look = '' }: OfferButtonProps) {
  const say = useSay();
  const reason = useId();
  if (refused === '') {
    return (
      <button type="button" class={look} onClick={take}>
        {label}
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        class={look}
        aria-disabled="true"
        aria-describedby={reason}
        title={refused}
        onClick={() => say(refused)}
      >
        {label}
      </button>
      <span id={reason} hidden>
        {refused}
      </span>
    </>
  );
}
