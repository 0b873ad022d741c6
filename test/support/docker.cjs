const { spawn } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');

const SCRIPT = path.join(__dirname, 'docker-engine.sh');
const PING_MS = 5_000;
/** apt-get may take most of it. */
const ANSWER_MS = 480_000;

const HERE = ['localhost', '127.0.0.1', '::1'];

/** The engine that this run started, if it did. */
let own;

/** The label of everything that this run makes in an engine. */
const LABEL = 'dev.fairlead.test-run';

async function ask() {
  return require('testcontainers').getContainerRuntimeClient();
}

/** Why the suite can't use the engine that answers; undefined when it can. */
async function misfit({ container, info }) {
  const { KernelVersion, OSType } = await container.dockerode.info();
  if (OSType !== 'linux' || KernelVersion !== os.release()) {
    return `the Docker engine runs on another kernel (${OSType} ${KernelVersion}) than this machine's programs`;
  }
  const { host } = info.containerRuntime;
  return HERE.includes(host) ? undefined : `the Docker engine publishes its ports at ${host}, not on this machine`;
}

async function startOwn() {
  const folder = path.join(os.tmpdir(), `fairlead-docker-${process.pid}`);
  // Its stdin is the life line: it closes with this process.
  const child = spawn('bash', [SCRIPT, folder], { detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: child.stdout });
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ANSWER_MS);
  try {
    const [line] = await Promise.race([once(lines, 'line', { signal: limit.signal }), once(lines, 'close')]);
    if (line?.startsWith('ready ')) {
      own = child;
      process.env.DOCKER_HOST = `unix://${line.slice('ready '.length)}`;
      process.env.TESTCONTAINERS_HOST_OVERRIDE = '127.0.0.1';
      return undefined;
    }
    return line?.replace(/^skipped /, '') ?? 'the script that starts a Docker engine said nothing';
  } catch {
    return `no Docker engine after ${ANSWER_MS / 1_000} s`;
  } finally {
    clearTimeout(timer);
    if (own === undefined) child.stdin.end();
  }
}

/** Whether anybody listens where an engine should be. Asked without testcontainers, which asks the environment once. */
function isThere() {
  const host = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
  if (!host.startsWith('unix://')) return Promise.resolve(true);
  return new Promise((resolve) => {
    const request = http.get({ socketPath: host.slice('unix://'.length), path: '/_ping', timeout: PING_MS });
    request.on('response', () => resolve(true)).on('error', () => resolve(false));
    request.on('timeout', () => request.destroy(new Error('no answer')));
  });
}

/** Finds a Docker engine, or starts one where that is allowed; returns why there is none. */
async function findEngine() {
  if (!(await isThere())) {
    if (process.env.FAIRLEAD_CI_DOCKER !== '1') return 'no Docker engine answers (DOCKER_HOST, or the default socket)';
    const reason = await startOwn();
    if (reason !== undefined) return reason;
  }
  return misfit(await ask());
}

/** Tells the test files by the environment whether there is an engine, and which label their things get. */
async function openDocker() {
  // Its image cannot be pulled everywhere, and this run removes by itself what it made.
  process.env.TESTCONTAINERS_RYUK_DISABLED = 'true';
  const skipped = await findEngine().catch((error) => `the Docker engine fails: ${error.message}`);
  process.env.FAIRLEAD_TEST_DOCKER = skipped === undefined ? `${LABEL}=${process.pid}` : '';
  if (skipped !== undefined) process.env.FAIRLEAD_TEST_SKIPPED = `test/containers skipped: ${skipped}`;
  if (skipped !== undefined) process.stdout.write(`\n*** ${process.env.FAIRLEAD_TEST_SKIPPED} ***\n\n`);
}

async function removeWhatIsLeft(docker) {
  const filters = { label: [process.env.FAIRLEAD_TEST_DOCKER] };
  for (const { Id } of await docker.listContainers({ all: true, filters })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  for (const { Id } of await docker.listNetworks({ filters })) await docker.getNetwork(Id).remove();
  for (const { Id } of await docker.listImages({ all: true, filters })) {
    await docker
      .getImage(Id)
      .remove({ force: true })
      .catch(() => undefined);
  }
}

/** Removes what this run made in the engine, and the engine itself if it is the run's own. */
async function closeDocker() {
  if (process.env.FAIRLEAD_TEST_DOCKER) await removeWhatIsLeft((await ask()).container.dockerode);
  if (own === undefined) return;
  const ended = once(own, 'exit');
  own.stdin.end();
  await ended;
}

module.exports = { openDocker, closeDocker };
