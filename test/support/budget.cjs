/**
 * The order of test files, and which of them a run may skip. `.ci/run` gives each run a deadline after which no further
 * file starts. So a slow machine reports what it skipped, instead of being stopped.
 */
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');
const COSTS_FILE = path.join(__dirname, 'costs.json');
/** Seconds of a file without a recorded cost. */
const UNKNOWN_COST = 15;
/** See machine-speed.mjs: that of the machine on which the costs were recorded. It changes with them. */
const SPEED_OF_COSTS = 1.76;
/** Files that run at the same time, as in jest.config.js. */
const WORKERS = 3;
/** Files that failed, of which `.ci/run` runs at most so many once more. */
const MOST_REPEATED = 5;
/** The rank of files that nothing puts forward. */
const LAST_RANK = 4;
/** Layers without servers. */
const LIGHT = ['unit', 'simulation', 'combination', 'meta', 'oracles'];
/**
 * Prefixes of the names of files that start a browser or clusters of their own. Several of them at once keep a small
 * machine so busy that others fail.
 */
const BUSY = [
  'apiserver/cli/demo.',
  'apiserver/runtime/next-to-flux',
  'apiserver/runtime/restart',
  'apiserver/runtime/rotation',
  'apiserver/sandbox/',
  'apiserver/template/grants',
  'browser/',
  'containers/',
  'e2e/dashboard-link',
  'e2e/doc-commands',
  'e2e/first-light',
  'e2e/incidents',
];
/** Users start with the samples, so these files run before most others. */
const SAMPLES = ['apiserver/samples.test.ts', 'apiserver/cluster-samples.test.ts', 'e2e/samples.test.ts'];

function readJson(file, otherwise) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : otherwise;
}

/** For example, `apiserver/x.test.ts` for a full path. */
function nameOf(testPath) {
  return path.relative(path.join(ROOT, 'test'), testPath).split(path.sep).join('/');
}

const layerOf = (name) => name.split('/')[0];
const isLight = (name) => LIGHT.includes(layerOf(name));

/** The first two folders of a server file's name, e.g. `apiserver/helmrelease`. */
function themeOf(name) {
  const folders = name.split('/').slice(0, -1);
  return folders.slice(0, 2).join('/');
}

/** Recorded seconds of each file, by its name. */
const costs = readJson(COSTS_FILE, {});
const costOf = (name) => costs[name] ?? UNKNOWN_COST;

/** The cheapest file of each theme of the server layers. */
function cheapestOfThemes(names) {
  const cheapest = new Map();
  for (const name of names.filter((each) => !isLight(each))) {
    const before = cheapest.get(themeOf(name));
    if (before === undefined || costOf(name) < costOf(before)) cheapest.set(themeOf(name), name);
  }
  return [...cheapest.values()];
}

/** The test files that the newest commits changed, from `.ci/run`. */
const touched = new Set((process.env.FAIRLEAD_TEST_TOUCHED ?? '').split('\n').filter((name) => name !== ''));

/** Not in the clone, because each run has a new one. */
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'fairlead');
const FAILED_FILE = path.join(CACHE, 'failed-tests.json');
const failedBefore = new Set(readJson(FAILED_FILE, []));

const stands = (name, cheapest) => SAMPLES.includes(name) || cheapest.has(name);

function rankOf(name, cheapest) {
  if (isLight(name)) return 0;
  if (touched.has(name)) return 1;
  if (failedBefore.has(name)) return 2;
  return stands(name, cheapest) ? 3 : LAST_RANK;
}

/** True for a server file that no run leaves out: a changed one, a sample, or the one file of its theme. */
function isEssential(name, cheapest) {
  return !isLight(name) && (touched.has(name) || stands(name, cheapest));
}

/** Merges two lists of names so that the same share of the cost of each has passed at any time. */
function merged(one, other) {
  const total = (names) => names.reduce((sum, name) => sum + costOf(name), 0);
  const lists = [one, other].map((names) => ({ names: [...names], total: total(names), spent: 0 }));
  const result = [];
  for (;;) {
    const [next] = lists
      .filter(({ names }) => names.length > 0)
      .sort((a, b) => (a.spent + costOf(a.names[0])) / a.total - (b.spent + costOf(b.names[0])) / b.total);
    if (next === undefined) return result;
    const name = next.names.shift();
    next.spent += costOf(name);
    result.push(name);
  }
}

/** True if all files will have begun well before the deadline. */
function isAmple(names) {
  const deadline = Number(process.env.FAIRLEAD_TEST_DEADLINE ?? Infinity);
  const speed = Number(process.env.FAIRLEAD_TEST_SPEED) || SPEED_OF_COSTS;
  const seconds = names.filter((name) => !isLight(name)).reduce((sum, name) => sum + costOf(name), 0);
  return Date.now() + (seconds / WORKERS) * (SPEED_OF_COSTS / speed) * 1_500 < deadline;
}

/**
 * Tests without servers first, then changed files, then those that failed before. Next are samples and one file per
 * theme. The others follow, with the busiest files spread over them: the cheapest first where the time may not be
 * enough for all, else the longest first, so that no worker is left alone with one at the end.
 */
function inOrder(testPaths) {
  const names = testPaths.map(nameOf);
  const cheapest = new Set(cheapestOfThemes(names));
  // A worker sees only one file, so the environment tells it which files it must not skip.
  process.env.FAIRLEAD_TEST_ESSENTIAL = names.filter((name) => isEssential(name, cheapest)).join('\n');
  const key = (testPath) => {
    const name = nameOf(testPath);
    return { rank: rankOf(name, cheapest), layer: LIGHT.indexOf(layerOf(name)), cost: costOf(name), name };
  };
  const keys = new Map(testPaths.map((testPath) => [testPath, key(testPath)]));
  const isLongestFirst = isAmple(names);
  const sorted = [...testPaths].sort((one, other) => {
    const [a, b] = [keys.get(one), keys.get(other)];
    const byCost = a.rank === LAST_RANK && isLongestFirst ? b.cost - a.cost : a.cost - b.cost;
    return a.rank - b.rank || a.layer - b.layer || byCost || a.name.localeCompare(b.name);
  });
  const isLast = (testPath) => keys.get(testPath).rank === LAST_RANK;
  const isBusy = (testPath) => BUSY.some((prefix) => nameOf(testPath).startsWith(prefix));
  const pathOf = new Map(testPaths.map((testPath) => [nameOf(testPath), testPath]));
  const last = sorted.filter(isLast);
  const spread = merged(last.filter((each) => !isBusy(each)).map(nameOf), last.filter(isBusy).map(nameOf));
  return [...sorted.filter((each) => !isLast(each)), ...spread.map((name) => pathOf.get(name))];
}

/** True if the deadline has passed, and the file may be skipped. */
function isTooLate(testPath) {
  const deadline = Number(process.env.FAIRLEAD_TEST_DEADLINE ?? Number.NaN);
  if (Number.isNaN(deadline) || Date.now() < deadline) return false;
  return !(process.env.FAIRLEAD_TEST_ESSENTIAL ?? '').split('\n').includes(nameOf(testPath));
}

function rememberFailed(names) {
  try {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(FAILED_FILE, JSON.stringify(names));
  } catch {
    // Without a writable folder, the next run only loses its order.
  }
}

/** The server files that failed last, as one line, if they are few and nothing else failed; else an empty text. */
function fewFailed() {
  const names = [...failedBefore];
  return names.length <= MOST_REPEATED && !names.some(isLight) ? names.join(' ') : '';
}

module.exports = { COSTS_FILE, fewFailed, inOrder, isTooLate, layerOf, nameOf, rememberFailed };
