/**
 * Installs the dependencies if they are missing or older than the lock file, so that `npm start` and `npm test` work in
 * a fresh clone. Run it in the root of the package; it needs only Node and npm.
 */
import { spawnSync } from 'node:child_process';
import { lstatSync, statSync } from 'node:fs';

const LOCK = 'package-lock.json';
/** npm writes this file last. */
const INSTALLED = 'node_modules/.package-lock.json';

function changedMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** `npm ci` would empty the linked folder, which belongs to another checkout. */
const isLinked = lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink() === true;

if (!isLinked && changedMs(INSTALLED) < changedMs(LOCK)) {
  process.stderr.write('Installing dependencies (npm ci) ...\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  // On Windows, npm is a script, which only a shell can start.
  const { status, error } = spawnSync('npm', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (error !== undefined || status !== 0) {
    process.stderr.write(
      `npm ci failed${error === undefined ? '' : `: ${error.message}`}. Correct its cause above, and run the same command again.\n`,
    );
    process.exit(status || 1);
  }
}
