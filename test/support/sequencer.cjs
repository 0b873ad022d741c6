const { default: Sequencer } = require('@jest/test-sequencer');
const { inOrder } = require('./budget.cjs');

/** Sorts test files in the order of budget.cjs. */
module.exports = class extends Sequencer {
  sort(tests) {
    const byPath = new Map(tests.map((test) => [test.path, test]));
    return inOrder([...byPath.keys()]).map((path) => byPath.get(path));
  }
};
