const { existsSync } = require('node:fs');
const path = require('node:path');

const TOOLS = path.resolve(__dirname, '../../dist/sandbox/tools.js');
const WITHOUT_SERVERS = /(^|\/)test\/(unit|simulation|combination|meta|oracles)\b/;
const WITH_CONTAINERS = /(^|\/)test\/containers\b/;
const WITH_PEERS = /(^|\/)test\/peers\b/;

/** On a new machine the first build of the tools takes minutes: longer than any test may, so it happens here. */
async function buildTools(peers) {
  const { ensureTools, WORLD_TOOLS } = await import(TOOLS);
  await ensureTools([...WORLD_TOOLS, ...peers], { onProgress: (line) => process.stdout.write(`${line}\n`) });
}

module.exports = async (globalConfig) => {
  // Workers inherit the environment: all test files of a run find the same world by the pid of jest itself.
  process.env.FAIRLEAD_TEST_RUN = String(process.pid);
  const patterns = globalConfig.testPathPatterns?.patterns ?? [];
  const cheapOnly = patterns.length > 0 && patterns.every((pattern) => WITHOUT_SERVERS.test(pattern));
  const peers = patterns.some((pattern) => WITH_PEERS.test(pattern)) ? ['kustomize-controller'] : [];
  if (!cheapOnly && existsSync(TOOLS)) await buildTools(peers);
  const wantsContainers = patterns.length === 0 || patterns.some((pattern) => WITH_CONTAINERS.test(pattern));
  if (wantsContainers) await require('./docker.cjs').openDocker();
};
