import pLimit from 'p-limit';
import type { Run } from './types.js';

/** Runs at most `atOnce` programs at the same time, so that their total memory is bounded; others wait for their turn. */
export function limitedRun(run: Run, atOnce: number): Run {
  const limit = pLimit(atOnce);
  return (command, args, options) => limit(() => run(command, args, options));
}
