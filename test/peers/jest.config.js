import base from '../jest.config.js';

/** Only these suites, which `npm test` leaves out. */
export default {
  ...base,
  rootDir: '../..',
  roots: ['<rootDir>/test/peers'],
  testPathIgnorePatterns: ['/node_modules/'],
};
