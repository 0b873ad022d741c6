const os = require('node:os');
const { writeFileSync } = require('node:fs');
const { stripVTControlCharacters } = require('node:util');
const { COSTS_FILE, layerOf, nameOf, rememberFailed } = require('./budget.cjs');

const SLOWEST = 15;
/** How many failed files are told about at the end, and how many characters of each. */
const [TOLD, TOLD_CHARACTERS] = [8, 1_500];
const seconds = (ms) => `${(ms / 1_000).toFixed(0)} s`;

/** Milliseconds of CPU of all processes on this machine, because the tests' servers are not children of jest. */
function machineCpuMs() {
  return os.cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}

function table(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join('  '),
  );
}

/** The first failure of a file, short enough for the end of a log that may be all that somebody sees. */
function firstFailure({ testFilePath, testResults, testExecError }) {
  const { fullName, failureMessages } = testResults.find(({ status }) => status === 'failed') ?? {};
  const message = failureMessages?.[0] ?? testExecError?.message ?? 'it says no more';
  // Colours, and the white space of JSON.
  const plain = stripVTControlCharacters(message).replace(/\s+/g, ' ');
  return `FAILED ${nameOf(testFilePath)}: ${fullName ?? 'the file itself'}: ${plain.slice(0, TOLD_CHARACTERS)}`;
}

/** Jest reporter: a table of layers, the slowest files, the skipped files, the first failures, and one summary line. */
module.exports = class ClosingLine {
  #layers = new Map();
  #files = [];
  #notStarted = [];
  #before = { wallMs: Date.now(), cpuMs: machineCpuMs() };

  onTestFileResult({ path: testPath }, result) {
    const name = nameOf(testPath);
    const now = { wallMs: Date.now(), cpuMs: machineCpuMs() };
    const layer = this.#layers.get(layerOf(name)) ?? { files: 0, tests: 0, wallMs: 0, cpuMs: 0 };
    this.#layers.set(layerOf(name), layer);
    // Files of one layer run in parallel, so a layer's time is the sum of the times between the ends of its files.
    layer.wallMs += now.wallMs - this.#before.wallMs;
    layer.cpuMs += now.cpuMs - this.#before.cpuMs;
    layer.files += 1;
    layer.tests += result.numPassingTests + result.numFailingTests;
    this.#before = now;
    const isLeftOut = result.testResults.some(({ title }) => title.startsWith('not started: '));
    if (isLeftOut) this.#notStarted.push(name);
    else this.#files.push({ name, ms: result.perfStats.end - result.perfStats.start });
  }

  #print(lines) {
    process.stdout.write(`\n${lines.join('\n')}\n`);
  }

  #printTables() {
    const rows = [...this.#layers].map(([layer, { files, tests, wallMs, cpuMs }]) => [
      ...[layer, String(files), String(tests), seconds(wallMs), seconds(cpuMs)],
    ]);
    this.#print(table([['LAYER', 'FILES', 'TESTS', 'WALL', 'CPU OF THE MACHINE'], ...rows]));
    const slowest = [...this.#files].sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    this.#print(table([['SLOWEST FILES', 'WALL'], ...slowest.map(({ name, ms }) => [name, seconds(ms)])]));
    if (this.#notStarted.length === 0) return;
    this.#print([
      `Not started, because the time for tests was over (${this.#notStarted.length} files):`,
      ...this.#notStarted.sort(),
    ]);
  }

  #keepCosts() {
    const costs = this.#files.map(({ name, ms }) => [name, Math.max(1, Math.round(ms / 1_000))]);
    const servers = costs.filter(([name]) => /^(apiserver|browser|e2e|containers)\//.test(name));
    writeFileSync(COSTS_FILE, `${JSON.stringify(Object.fromEntries(servers.sort()), null, 2)}\n`);
  }

  onRunComplete(_contexts, results) {
    const crashed = results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const why = skipped > 0 ? process.env.FAIRLEAD_TEST_SKIPPED : undefined;
    const failed = results.testResults.filter(
      ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError,
    );
    if (process.env.CI === 'true') rememberFailed(failed.map(({ testFilePath }) => nameOf(testFilePath)));
    if (this.#files.length > 1) this.#printTables();
    if (process.env.FAIRLEAD_TEST_COSTS === 'record') this.#keepCosts();
    const told = failed.slice(0, TOLD).map(firstFailure);
    if (failed.length > TOLD) told.push(`FAILED, too: ${failed.length - TOLD} more files`);
    process.stderr.write(told.map((text) => `\n${text}\n`).join(''));
    if (why !== undefined) process.stdout.write(`\n*** ${why} ***\n`);
    process.stdout.write(`\n${results.numPassedTests} passed, ${results.numFailedTests + crashed} failed${tail}\n`);
  }
};
