import base, { servers } from '../jest.config.js';

/** Only these suites, which `npm test` leaves out. */
export default { ...base, projects: [{ ...servers, roots: ['<rootDir>/test/peers'] }] };
