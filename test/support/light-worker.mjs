/** A process that runs one test file after the other; see light-runner.cjs. */
import run, { setWorkerData } from '../../node_modules/jest-light-runner/src/worker-runner.js';

let isReady = false;

/** The result of a file, as jest's reporters take it. Throws for a file without tests, as jest's own runner does. */
export async function runFile(testPath, settings) {
  if (!isReady) setWorkerData({ ...settings, runtime: 'child_process' });
  isReady = true;
  const result = await run(testPath);
  if (result.testResults.length === 0) throw new Error('Your test suite must contain at least one test.');
  return result;
}
