import { TransientError } from '#lib/errors.js';
import type { RunResult } from './types.js';

const REFUSED = 1;

/**
 * The output of helm or kustomize, or why it rejects its input, in the words of `problemOf`: they exit with 1 then. Any
 * other exit code is from Go's runtime, which had too little memory or too few threads, and is not about the input: that
 * is a TransientError `ProcessFailed`, which is retried.
 */
export function outputOrRefusal(
  command: string,
  { code, stdout, stderr }: RunResult,
  problemOf: (stderr: string) => string,
): { readonly output: string } | { readonly problem: string } {
  if (code === 0) return { output: stdout };
  if (code === REFUSED) return { problem: problemOf(stderr) };
  throw new TransientError(`${command} crashed with exit code ${code}: ${problemOf(stderr)}`, {
    reason: 'ProcessFailed',
  });
}
