const { readdir } = require('node:fs/promises');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { closeDocker } = require('./docker.cjs');

/** Stops the worlds that the workers started, and what there is of containers. */
module.exports = async () => {
  await closeDocker();
  const worlds = (await readdir(tmpdir())).filter((name) => name.startsWith(`fairlead-test-${process.pid}-`));
  if (worlds.length === 0) return;
  const { stopWorldIn } = await import('../../dist/sandbox/daemon-world.js');
  await Promise.all(worlds.map((name) => stopWorldIn(path.join(tmpdir(), name))));
};
