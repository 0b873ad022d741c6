const { existsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');

/** Stops the world that test files shared, if any of them started it. */
module.exports = async () => {
  const dir = path.join(tmpdir(), `fairlead-test-${process.pid}`);
  if (!existsSync(dir)) return;
  const { stopWorldIn } = await import('../../dist/sandbox/held-world.js');
  await stopWorldIn(dir);
};
