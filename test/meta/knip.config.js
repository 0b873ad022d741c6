/**
 * `knip` finds what nobody uses. `knip --production` finds what only tests use: an export that its own file uses is
 * fine then, and one that is for tests, documentation or what comes next says so by `@internal`.
 */
const isProduction = process.argv.includes('--production');

export default {
  entry: [
    // Of the scripts in package.json, which this mode does not read.
    ...(isProduction ? ['cli/build.js!', 'cli/ready.js!'] : []),
    'cli/program.ts!',
    'config/generate.ts!',
    'bench/main.ts!',
    'bench/scenarios/mirror-process.ts!',
    'bench/scenarios/paced-clients.ts!',
    'bench/scenarios/bare-server.ts!',
    'bench/scenarios/counter-program.ts!',
    'runtime/isolation/offload-child.ts!',
    'console/web/main.tsx!',
    'sandbox/supervisor.ts!',
    'sandbox/daemon.ts!',
    'test/**/*.test.ts',
    // A command for people: it shrinks a story, and stores it.
    'test/combination/store.ts',
    'test/support/*.{cjs,mjs}',
  ],
  project: [
    '{api,lib,runtime,engine,controllers,manager,queries,console,cli,sandbox,config,bench}/**/*.{ts,tsx,js,cjs}!',
    'test/**/*.{ts,js,cjs,mjs}',
  ],
  // Of the system.
  ignoreBinaries: ['openssl', 'script', 'mount', 'ssh-keygen', 'umount'],
  jest: { config: ['test/jest.config.js', 'test/{long,peers}/jest.config.js'] },
  ignoreExportsUsedInFile: isProduction || { interface: true, type: true },
};
