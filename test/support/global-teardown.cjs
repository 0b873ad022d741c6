const { existsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { closeDocker } = require('./docker.cjs');

/** Stops the world that test files shared, if any of them started it, and what there is of containers. */
module.exports = async () => {
  await closeDocker();
  const dir = path.join(tmpdir(), `fairlead-test-${process.pid}`);
  if (!existsSync(dir)) return;
  const { stopWorldIn } = await import('../../dist/sandbox/held-world.js');
  await stopWorldIn(dir);
};
