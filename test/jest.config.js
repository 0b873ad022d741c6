import path from 'node:path';

/**
 * One jest run proves everything. Tests without servers run first, in bare Node. The suites that need real servers
 * follow, each file in a sandbox of jest.
 */
const ROOT = path.resolve(import.meta.dirname, '..');

const compiled = {
  '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } }],
};

const below = (...names) => names.map((name) => `<rootDir>/test/${name}`);

/** These suites compute. A worker loads each module only once, so no test may change what others see. */
export const rules = {
  rootDir: ROOT,
  roots: below('unit', 'simulation', 'combination', 'meta', 'oracles'),
  testMatch: ['**/*.test.ts'],
  runner: '<rootDir>/test/support/light-runner.cjs',
  setupFiles: ['<rootDir>/test/support/register-typescript.mjs'],
};

/** These suites mostly wait for servers. */
export const servers = {
  rootDir: ROOT,
  roots: below('apiserver', 'browser', 'e2e', 'containers'),
  testMatch: ['**/*.test.ts'],
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  testRunner: '<rootDir>/test/support/timely-runner.cjs',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1', '^#(.*)\\.js$': '<rootDir>/$1' },
  transform: compiled,
};

/** Prefixes of the paths of suites that are slow and prove rare things: `npm run test:long` runs them. */
export const LONG = [
  'apiserver/application/scale',
  'apiserver/cli/installing-golden',
  'apiserver/console/slow-readers',
  'apiserver/helmrelease/differential',
  'apiserver/runtime/churn',
  'browser/every-screen',
  'browser/hanging-member',
  'browser/large-values',
  'browser/pictures',
  'containers/members',
  'e2e/idle',
  'e2e/kill-kustomization',
  'e2e/restart-at-rest',
  'e2e/slow-incidents',
  'e2e/stories',
];

export default {
  rootDir: ROOT,
  projects: [
    rules,
    { ...servers, testPathIgnorePatterns: ['/node_modules/', ...LONG.map((part) => `/test/${part}(/|\\.test\\.ts$)`)] },
  ],
  reporters: ['default', '<rootDir>/test/support/closing-line.cjs'],
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  // Most server files wait rather than compute. Each worker has its own servers: see support/world.ts.
  maxWorkers: 3,
  // Longer than any single wait of a test, whose error names what it waited for. Jest reads this setting only here.
  testTimeout: 600_000,
  // Modules of every file stay in memory: a worker above this begins anew after its file, and finds its world again.
  workerIdleMemoryLimit: '600MB',
};
