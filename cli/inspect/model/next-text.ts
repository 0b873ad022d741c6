import type { NextCommand } from '#queries/answers/rollout-progress.js';

/** The first of many Applications that wait are enough to see how it is done. */
const MOST = 10;

/** The commands with what they do, one per line; empty if there are none. They are not wrapped: people copy them. */
export function nextText(commands: readonly NextCommand[]): string {
  const lines = commands.slice(0, MOST).map(({ command, effect }) => `  ${command}   # ${effect}`);
  return lines.length === 0 ? '' : ['Next:', ...lines].join('\n');
}
