import type { Command } from './commands.js';

const FILE = 'application.yaml';

/** What does the same in a terminal, with the YAML in a file. */
export const EDITOR_COMMANDS: readonly Command[] = [
  { title: 'What it would change', command: `fairlead diff -f ${FILE}` },
  { title: 'The same in a terminal, with the YAML in a file', command: `fairlead apply -f ${FILE} --wait` },
  { title: 'With kubectl', command: `kubectl apply --server-side -f ${FILE}` },
];
