/** A process that runs one test file after the other; see light-runner.mjs. */
import run, { setWorkerData } from '../../node_modules/jest-light-runner/src/worker-runner.js';

let isReady = false;

/** The result of a file, as jest's reporters take it. */
export function runFile(testPath, settings) {
  if (!isReady) setWorkerData({ ...settings, runtime: 'child_process' });
  isReady = true;
  return run(testPath);
}
