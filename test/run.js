/**
 * Installs dependencies and compiles sources, so that it works in any clone; then runs jest with the given arguments.
 * By default, it runs everything except the suites with their own configuration.
 */
import { spawnSync } from 'node:child_process';
import '../cli/ready.js';

const args = process.argv.slice(2);
const config = args.includes('--config') ? [] : ['--config', 'test/jest.config.js'];

function run(...command) {
  const { status, error } = spawnSync(process.execPath, command, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

run('cli/build.js');
run(...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js', ...config, ...args]);
