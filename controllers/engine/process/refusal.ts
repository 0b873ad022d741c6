import { TransientError } from '../../runtime/pure/errors.js';
import type { RunResult } from './types.js';

const REFUSED = 1;

/**
 * What helm or kustomize made, or its refusal in the words of `problemOf`. They exit with 1 when they refuse their
 * input. Any other code comes from Go's runtime, which had too little memory or too few threads, and says nothing of the
 * input: that is TransientError `ProcessFailed`, to be tried again.
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
