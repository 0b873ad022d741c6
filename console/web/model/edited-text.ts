/** One text, which a form and its YAML change. */
export interface EditedText {
  readonly text: string;
  /** What it is without changes. */
  readonly initial: string;
  /** What it was before each change of the form since the YAML was written in, the last of them at the end. */
  readonly past: readonly string[];
}

const MOST_STEPS = 20;

export function begun(initial: string, text = initial): EditedText {
  return { text, initial, past: [] };
}

/** By the YAML, which undoes by itself; a step of the form back would take what was written with it. */
export function written({ initial }: EditedText, text: string): EditedText {
  return begun(initial, text);
}

/** By the form. */
export function edited(now: EditedText, text: string): EditedText {
  return text === now.text ? now : { ...now, text, past: [...now.past, now.text].slice(-MOST_STEPS) };
}

export function undone(now: EditedText): EditedText {
  return { ...now, text: now.past.at(-1) ?? now.text, past: now.past.slice(0, -1) };
}

/** It can be undone, too. */
export function discarded(now: EditedText): EditedText {
  return edited(now, now.initial);
}

/** Without changes, it is as somebody else made it: what was before would undo his change, and nobody would see it. */
export function tookOver(text: string, theirs: string): EditedText {
  return begun(theirs, text);
}
