import { meaningOf, SYMBOLS, type Meaning } from '#queries/views/state-meaning.js';

interface MarkProps {
  readonly meaning: Meaning;
  readonly text: string;
  /** The word is read aloud only: for what is well, and stands in a table of many. */
  readonly quiet?: boolean;
}

/** By colour, shape and word. */
export function Mark({ meaning, text, quiet = false }: MarkProps) {
  return (
    <span class={`mark ${meaning}`}>
      <span aria-hidden="true">{SYMBOLS[meaning]}</span> <span class={quiet ? 'unseen' : ''}>{text}</span>
    </span>
  );
}

export function State({ state, quiet = false }: { state: string; quiet?: boolean }) {
  return <Mark meaning={meaningOf(state)} text={state} quiet={quiet} />;
}

/** The same as one text, which costs half as much to draw; what it stands in is labelled with the word. */
export function markText(state: string, quiet = false): string {
  const symbol = SYMBOLS[meaningOf(state)];
  return quiet ? symbol : `${symbol} ${state}`;
}
