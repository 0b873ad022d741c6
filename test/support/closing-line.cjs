/** Jest reporter: closes the run with the one line that says it all. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const crashed = results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    const why = skipped > 0 ? process.env.FAIRLEAD_TEST_SKIPPED : undefined;
    if (why !== undefined) process.stdout.write(`\n*** ${why} ***\n`);
    process.stdout.write(`\n${results.numPassedTests} passed, ${results.numFailedTests + crashed} failed${tail}\n`);
  }
};
