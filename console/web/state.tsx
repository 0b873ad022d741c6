import { meaningOf, SYMBOLS, type Meaning } from '#controllers/read-model/state-meaning.js';

interface MarkProps {
  readonly meaning: Meaning;
  readonly text: string;
  /** The word is read aloud only: for what is well, and stands in a table of many. */
  readonly quiet?: boolean;
}

/** Shape and word; the colour is that of what they stand in. */
export function markParts({ meaning, text, quiet = false }: MarkProps) {
  return (
    <>
      <span aria-hidden="true">{SYMBOLS[meaning]}</span> <span class={quiet ? 'unseen' : ''}>{text}</span>
    </>
  );
}

/** By colour, shape and word. */
export function Mark(props: MarkProps) {
  return <span class={`mark ${props.meaning}`}>{markParts(props)}</span>;
}

export function State({ state, quiet = false }: { state: string; quiet?: boolean }) {
  return <Mark meaning={meaningOf(state)} text={state} quiet={quiet} />;
}
