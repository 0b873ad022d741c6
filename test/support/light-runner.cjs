/**
 * Runs test files in processes of bare Node, at most one per CPU. Without a sandbox of jest for each file, a process
 * loads a module only once. It uses jest's own workers, because two workers of jest-light-runner that start at once may
 * never get their settings.
 */
const { availableParallelism } = require('node:os');
const path = require('node:path');
const { Worker } = require('jest-worker');

const WORKER = path.join(__dirname, 'light-worker.mjs');

// Jest first runs the files of the runner that it loads first. An ES module would be loaded last.
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
