import base, { LONG, rules, servers } from '../jest.config.js';

const testMatch = LONG.map((part) => `**/test/${part}{.test.ts,/**/*.test.ts}`);

/** Random stories of `test/combination`, other ones than in `npm test`. */
process.env.FAIRLEAD_COMBINATION_STORIES ??= '100000';
process.env.FAIRLEAD_COMBINATION_SEED ??= '1000000';

/** Only the slow suites, which `npm test` leaves out, and more random stories than it tells. */
export default {
  ...base,
  projects: [
    { ...rules, roots: ['<rootDir>/test/combination'] },
    { ...servers, testMatch },
  ],
};
