/** One jest run is the whole proof: unit tables first, then the suites that need real servers. */
export default {
  rootDir: '..',
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  // Those are compared with controllers that take long to compile: see peers/jest.config.js.
  testPathIgnorePatterns: ['/node_modules/', '/test/peers/'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', '^#(.*)\\.js$': '<rootDir>/$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  reporters: ['default', '<rootDir>/test/support/closing-line.cjs'],
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  // Most files wait rather than compute. Each worker has a world of its own: see support/world.ts.
  maxWorkers: 3,
  // Modules of every file stay in memory: a worker above this begins anew after its file, and finds its world again.
  workerIdleMemoryLimit: '600MB',
  // More than a test waits for one thing: what that was is in the error of the wait.
  testTimeout: 300_000,
};
