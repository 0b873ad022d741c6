/**
 * Compiles the sources to `dist`, unless `dist` is already what they compile to: that costs seconds, and `npm start` and
 * `npm run fairlead` both begin with it. Runs in the root of the package, and needs nothing but Node, the compiler and
 * the bundler.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleDashboard, DASHBOARD_PAGE } from './bundle-dashboard.js';
import { bundleProgram, ENTRY } from './bundle-program.js';

const COMPILER = 'node_modules/typescript-native/bin/tsc';
/** What the compiler remembers of its last run. */
const BUILD_INFO = 'dist/.tsbuildinfo';
/**
 * Fingerprint of the sources that `dist` was compiled from, then the files of the bundle, a line each. It is written
 * last, and only when all went well.
 */
const STAMP = 'dist/.compiled-from';
/** What decides about the result besides the sources: settings, and the versions of compiler and types. */
const SETTINGS = ['tsconfig.json', 'package-lock.json'];

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

const FOLDERS = JSON.parse(readFileSync('tsconfig.json', 'utf8')).include;
const DASHBOARD = filesBelow('console/web');
const HAS_DASHBOARD = DASHBOARD.length > 0;
const SOURCES = FOLDERS.flatMap(filesBelow).filter((file) => file.endsWith('.ts') && !DASHBOARD.includes(file));
const OUTPUTS = new Set(SOURCES.map((file) => path.join('dist', file.replace(/\.ts$/, '.js'))));
const HAS_PROGRAM = OUTPUTS.has(ENTRY);
const BUNDLERS = ['bundle-dashboard.js', 'bundle-program.js'].map((file) => path.join(import.meta.dirname, file));

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of [...SETTINGS, ...SOURCES, ...DASHBOARD, ...BUNDLERS].sort()) {
    const text = readFileSync(file);
    hash.update(`${file}\0${text.length}\0`).update(text);
  }
  return hash.digest('hex');
}

function isComplete() {
  return [...OUTPUTS].every((file) => existsSync(file));
}

function isBundled(files) {
  return (!HAS_DASHBOARD || existsSync(DASHBOARD_PAGE)) && files.every((file) => existsSync(file));
}

function compile() {
  const args = [COMPILER, '-p', 'tsconfig.json', '--incremental', '--tsBuildInfoFile', BUILD_INFO];
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
}

/** What was made from sources that are gone would still be there to be imported. */
function removeStale(current) {
  const stale = FOLDERS.flatMap((folder) => filesBelow(path.join('dist', folder))).filter(
    (file) => /\.js(\.map)?$/.test(file) && !current.has(file.replace(/\.map$/, '')),
  );
  for (const file of stale) rmSync(file);
}

/** Returns the exit code. */
async function build() {
  const [compiledFrom, ...files] = existsSync(STAMP) ? readFileSync(STAMP, 'utf8').split('\n') : [];
  const wanted = fingerprint();
  if (compiledFrom === wanted && isComplete() && isBundled(files)) return 0;
  process.stderr.write('Compiling Fairlead (a few seconds; only after changes) ...\n');
  // An interrupted compiler may remember more than it has written.
  if (compiledFrom === undefined) rmSync(BUILD_INFO, { force: true });
  rmSync(STAMP, { force: true });
  let status = compile();
  if (status === 0 && !isComplete()) {
    // It does not write again what it remembers, even if somebody removed it.
    rmSync(BUILD_INFO, { force: true });
    status = compile();
  }
  if (status !== 0) return status;
  let bundled = [];
  try {
    // What starts meanwhile finds the previous bundle.
    if (HAS_PROGRAM) bundled = await bundleProgram();
    removeStale(new Set([...OUTPUTS, ...bundled]));
    if (HAS_DASHBOARD) await bundleDashboard();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  writeFileSync(STAMP, [wanted, ...bundled].join('\n'));
  return 0;
}

process.exitCode = await build();
