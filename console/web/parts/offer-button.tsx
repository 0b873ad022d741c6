import { useId } from 'preact/hooks';
import { useSay } from './said.js';

interface OfferButtonProps {
  readonly label: string;
  /** Only for those who do not see what it stands next to. */
  readonly about?: string;
  /** Why it cannot be done; empty if it can. */
  readonly refused: string;
  readonly take: () => void;
  readonly class?: string;
}

/** Opens a dialog, or says why it cannot: it can be reached either way, so that everybody hears the reason. */
export function OfferButton({ label, about = '', refused, take, class: look = '' }: OfferButtonProps) {
  const say = useSay();
  const reason = useId();
  const name = (
    <>
      {label}
      {about === '' ? null : <span class="unseen">{about}</span>}
    </>
  );
  if (refused === '') {
    return (
      <button type="button" class={look} onClick={take}>
        {name}
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
        {name}
      </button>
      <span id={reason} hidden>
        {refused}
      </span>
    </>
  );
}
