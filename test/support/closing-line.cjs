/** Jest reporter: closes the run with the one line that says it all. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const crashed = results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    process.stdout.write(`\n${results.numPassedTests} passed, ${results.numFailedTests + crashed} failed${tail}\n`);
  }
};
