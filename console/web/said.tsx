import { createContext, type ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';

const Context = createContext<(text: string) => void>(() => undefined);

/** Tells the user what came of what he did; it stays until he has read it, wherever he goes. */
export function useSay(): (text: string) => void {
  return useContext(Context);
}

export function WithSaid({ children }: { children: ComponentChildren }) {
  const [said, say] = useState('');
  return (
    <Context.Provider value={say}>
      {children}
      <div class="said" role="status">
        {said === '' ? null : (
          <p>
            <span class="message">{said}</span>
            <button type="button" class="small" onClick={() => say('')}>
              Dismiss
            </button>
          </p>
        )}
      </div>
    </Context.Provider>
  );
}
