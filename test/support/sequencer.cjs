const { default: Sequencer } = require('@jest/test-sequencer');

const ORDER = ['unit', 'simulation', 'meta', 'oracles', 'apiserver', 'e2e', 'containers'];

/** Runs the cheap layers first, and each layer by file name, so that a broken rule shows before a slow story does. */
module.exports = class ByLayer extends Sequencer {
  sort(tests) {
    const rank = (path) => ORDER.findIndex((layer) => path.includes(`/test/${layer}/`));
    return [...tests].sort((a, b) => rank(a.path) - rank(b.path) || a.path.localeCompare(b.path));
  }
};
