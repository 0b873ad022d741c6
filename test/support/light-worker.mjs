/** A process that runs test files one after the other; see light-runner.cjs. */
import run, { setWorkerData } from '../../node_modules/jest-light-runner/src/worker-runner.js';

let isReady = false;

/**
 * Errors of promises that are not handled yet. A test may handle several one after the other, which takes long on a
 * busy machine. Only errors that remain at the end of a file fail it.
 */
const unseen = new Map();
process.on('unhandledRejection', (error, promise) => unseen.set(promise, error));
process.on('rejectionHandled', (promise) => unseen.delete(promise));

async function failForUnseen() {
  await new Promise((resolve) => setImmediate(resolve));
  const [error] = unseen.values();
  unseen.clear();
  if (error !== undefined) throw error;
}

/** The result of a file in the form of jest's reporters. Throws for a file without tests, like jest's own runner. */
export async function runFile(testPath, settings) {
  if (!isReady) setWorkerData({ ...settings, runtime: 'child_process' });
  isReady = true;
  const result = await run(testPath);
  await failForUnseen();
  if (result.testResults.length === 0) throw new Error('Your test suite must contain at least one test.');
  return result;
}
