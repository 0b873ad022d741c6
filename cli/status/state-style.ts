import pc from 'picocolors';
import { meaningOf, SYMBOLS } from '#queries/views/state-meaning.js';
import type { Terminal } from '../terminal/terminal.js';

/** True for a state that somebody should have a look at. */
export function isBad(state: string): boolean {
  return meaningOf(state) === 'bad';
}

/** The state with its symbol, where there are symbols. */
export function withSymbol(state: string, { hasSymbols }: Pick<Terminal, 'hasSymbols'>): string {
  return hasSymbols ? `${SYMBOLS[meaningOf(state)]} ${state}` : state;
}

/** The text in the colour of the state. */
export function painted(text: string, state: string, { hasColors }: Pick<Terminal, 'hasColors'>): string {
  const { red, yellow, dim, green } = pc.createColors(hasColors);
  const paint = { bad: red, moving: yellow, idle: dim, good: green }[meaningOf(state)];
  return paint(text);
}
