import base, { LONG, servers } from '../jest.config.js';

const testMatch = LONG.map((part) => `**/test/${part}{.test.ts,/**/*.test.ts}`);

/** Only the slow suites, which `npm test` leaves out. */
export default { ...base, projects: [{ ...servers, testMatch }] };
