import type { Command } from '../parts/model/commands.js';

const SHORTEST_MS = 400;
const CHARACTERS_PER_MS = 1_000;

/** How long nobody types before a text is read: longer for one that takes longer to read. */
export function pauseMs(text: string): number {
  return SHORTEST_MS + text.length / CHARACTERS_PER_MS;
}

const FILE = 'application.yaml';

/** What does the same in a terminal, with the YAML in a file. */
export const EDITOR_COMMANDS: readonly Command[] = [
  { title: 'What it would change', command: `fairlead diff -f ${FILE}` },
  { title: 'The same in a terminal, with the YAML in a file', command: `fairlead apply -f ${FILE} --wait` },
  { title: 'With kubectl', command: `kubectl apply --server-side -f ${FILE}` },
];
