/** Runs test files in processes of bare Node, as many as compute at once: without a sandbox of jest's for each file. */
import { availableParallelism } from 'node:os';
import { createRunner } from 'jest-light-runner';

const InProcesses = createRunner({ runtime: 'child_process' });

export default class extends InProcesses {
  constructor(globalConfig, ...others) {
    // With one worker it would run in jest's own process, which doesn't know TypeScript.
    super(
      { ...globalConfig, maxWorkers: Math.max(2, Math.min(globalConfig.maxWorkers, availableParallelism())) },
      ...others,
    );
  }
}
