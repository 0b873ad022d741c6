import base, { server } from '../jest.config.js';

/** Only these suites, which `npm test` leaves out. */
export default { ...base, rootDir: '../..', projects: [{ ...server('peers'), rootDir: '../..' }] };
