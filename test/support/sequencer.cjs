const { default: Sequencer } = require('@jest/test-sequencer');

/** Long files wait most of the time: others run beside them, unless they come last. */
const LONG = [
  'apiserver/runtime/churn.',
  'containers/members.',
  'containers/image.',
  'e2e/idle.',
  'apiserver/flux/helmrelease/differential/',
];
const ORDER = ['unit/', 'simulation/', 'meta/', 'oracles/', ...LONG, 'apiserver/', 'browser/', 'e2e/'];

/** Runs the cheap layers first, and each layer by file name, so that a broken rule shows before a slow story does. */
module.exports = class ByLayer extends Sequencer {
  sort(tests) {
    const rank = (path) => ORDER.findIndex((part) => path.includes(`/test/${part}`));
    return [...tests].sort((a, b) => rank(a.path) - rank(b.path) || a.path.localeCompare(b.path));
  }
};
