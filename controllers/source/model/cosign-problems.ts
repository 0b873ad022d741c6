import { oneLine } from '#lib/one-line.js';

const SHOWN_PROBLEMS = 3;
const SHOWN_CHARACTERS = 300;

/**
 * The first problems as the end of a message; empty without any. A writer of the registry has a say in them: each is one
 * short line.
 */
export function shownProblems(problems: readonly string[]): string {
  const shown = [...new Set(problems)].slice(0, SHOWN_PROBLEMS);
  if (shown.length === 0) return '';
  return ` (${shown.map((problem) => oneLine(problem.slice(0, SHOWN_CHARACTERS))).join('; ')})`;
}
