/** A process that runs one test file after the other; see light-runner.cjs. */
import run, { setWorkerData } from '../../node_modules/jest-light-runner/src/worker-runner.js';

let isReady = false;

/**
 * Errors that nobody has looked at yet, by their promises. A test may look at one after another one, and on a busy machine
 * that is late; what is left at the end of its file fails the file.
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

/** The result of a file, as jest's reporters take it. Throws for a file without tests, as jest's own runner does. */
export async function runFile(testPath, settings) {
  if (!isReady) setWorkerData({ ...settings, runtime: 'child_process' });
  isReady = true;
  const result = await run(testPath);
  await failForUnseen();
  if (result.testResults.length === 0) throw new Error('Your test suite must contain at least one test.');
  return result;
}
