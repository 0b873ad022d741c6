/**
 * Runs test files in processes of bare Node, as many as compute at once, without a sandbox of jest's for each file: a
 * module is loaded once per process. The processes are jest's own workers: those of jest-light-runner may wait for ever
 * for their settings when two start at once.
 */
const { availableParallelism } = require('node:os');
const path = require('node:path');
const { Worker } = require('jest-worker');

const WORKER = path.join(__dirname, 'light-worker.mjs');

// Jest runs the files of the runner first that is loaded first: an ES module would be the last.
module.exports = class {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const numWorkers = Math.max(1, Math.min(this.#globalConfig.maxWorkers, availableParallelism()));
    const worker = new Worker(WORKER, { numWorkers, exposedMethods: ['runFile'], maxRetries: 0 });
    worker.getStdout().pipe(process.stdout, { end: false });
    worker.getStderr().pipe(process.stderr, { end: false });
    const { default: pLimit } = await import('p-limit');
    const limit = pLimit(numWorkers);
    const runFile = async (test) => {
      if (watcher.isInterrupted()) return;
      await onStart(test);
      try {
        const settings = { globalConfig: this.#globalConfig, projectConfig: test.context.config };
        await onResult(test, await worker.runFile(test.path, settings));
      } catch (error) {
        await onFailure(test, error);
      }
    };
    try {
      await Promise.all(tests.map((test) => limit(runFile, test)));
    } finally {
      await worker.end();
    }
  }
};
