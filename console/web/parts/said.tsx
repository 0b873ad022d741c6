import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useState, useId } from 'preact/hooks';
import { Link } from '../navigation/navigation.js';

/** Where what he was told about can be seen. */
interface Lead {
  readonly to: string;
  readonly title: string;
}

type Say = (text: string, lead?: Lead) => void;

const Context = createContext<Say>(() => undefined);

/** Tells the user what came of what he did; it stays until he has read it, wherever he goes. */
export function useSay(): Say {
  return useContext(Context);
}

export function WithSaid({ children }: { children: ComponentChildren }) {
  const [{ said, lead }, set] = useState<{ said: string; lead?: Lead | undefined }>({ said: '' });
  const say = useCallback<Say>((text, next) => set({ said: text, lead: next }), []);
  return (
    <Context.Provider value={say}>
      {children}
      <div class="said" role="status">
        {said === '' ? null : (
          <p>
            <span class="message">{said}</span>
            {lead === undefined ? null : <Link to={lead.to}>{lead.title}</Link>}
            <button type="button" class="small" onClick={() => say('')}>
              Dismiss
            </button>
          </p>
        )}
      </div>
    </Context.Provider>
  );
}

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
