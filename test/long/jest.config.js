import base, { LONG, server } from '../jest.config.js';

const match = LONG.map((part) => `**/test/${part}{.test.ts,/**/*.test.ts}`);
const project = (name) => ({
  ...server(name),
  rootDir: '../..',
  testMatch: match,
  testPathIgnorePatterns: ['/node_modules/'],
});

/** Only the suites that prove rare things slowly, which `npm test` leaves out. */
export default { ...base, rootDir: '../..', projects: ['apiserver', 'browser'].map(project) };
