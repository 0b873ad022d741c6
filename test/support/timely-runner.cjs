const { createEmptyTestResult } = require('@jest/test-result');
const circus = require('jest-circus/runner');
const { isTooLate } = require('./budget.cjs');

/** The result of a file that was not started: one skipped test that reports this. */
function notStarted(testFilePath) {
  const title = 'not started: the time for tests was over';
  const test = { ancestorTitles: [], failureDetails: [], failureMessages: [], numPassingAsserts: 0, title };
  return {
    ...createEmptyTestResult(),
    testFilePath,
    skipped: true,
    numPendingTests: 1,
    testResults: [{ ...test, fullName: title, status: 'pending', invocations: 0 }],
  };
}

/** Runs a file with jest-circus, unless the deadline has passed: see budget.cjs. */
module.exports = async (globalConfig, config, environment, runtime, testPath, ...others) =>
  isTooLate(testPath)
    ? notStarted(testPath)
    : (circus.default ?? circus)(globalConfig, config, environment, runtime, testPath, ...others);
