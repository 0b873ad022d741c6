import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { Listr } from 'listr2';
import { findWorld, isInTransition, startHeldWorld, stopWorldIn } from '../sandbox/held-world.js';
import { runningState, writeState } from '../sandbox/state.js';
import { startWorld, type StartWorldOptions, type World } from '../sandbox/world.js';

const DEFAULT_DIR = path.join('.fairlead', 'sandbox');
const DEFAULT_MEMBERS = 2;
const MOST_MEMBERS = 20;

interface UpOptions {
  dir: string;
  members: number;
  detach?: true;
}

function memberCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count <= MOST_MEMBERS) return count;
  throw new InvalidArgumentError(`must be a number from 0 to ${MOST_MEMBERS}.`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** How a user of this installation types a verb. */
function commandLine(verb: 'up' | 'down' | 'env', dir: string): string {
  const program = process.env['npm_lifecycle_event'] === undefined ? 'fairlead' : 'npm run -s fairlead --';
  return `${program} sandbox ${verb}${dir === DEFAULT_DIR ? '' : ` --dir ${shellQuote(dir)}`}`;
}

/** The lines of `fairlead sandbox env`, for `eval` in a POSIX shell. */
export function environmentLines(world: Omit<World, 'stop'>): string[] {
  const kubeconfigs = [world.host, ...world.members].map(({ kubeconfig }) => kubeconfig);
  const { kubectl, helm, kustomize } = world.tools;
  const toolFolders = [...new Set([kubectl, helm, kustomize].map((file) => path.dirname(file)))];
  return [
    `export KUBECONFIG=${shellQuote(kubeconfigs.join(path.delimiter))}`,
    `export PATH=${shellQuote(toolFolders.join(path.delimiter))}${path.delimiter}"$PATH"`,
    `export FAIRLEAD_GIT_URL=${shellQuote(world.gitUrl)}`,
    `export FAIRLEAD_HELM_REPOSITORY=${shellQuote(world.helmRepositoryUrl)}`,
    `export FAIRLEAD_REGISTRY=${shellQuote(world.registry)}`,
  ];
}

/** What `up` says in the end. */
export function readyLines(world: Omit<World, 'stop'>, dir: string): string[] {
  return [
    ...[world.host, ...world.members].map(
      ({ name, server, kubeconfig }) => `${name.padEnd(10)}${server}  ${kubeconfig}`,
    ),
    `${'git'.padEnd(10)}${world.gitUrl}`,
    `${'charts'.padEnd(10)}${world.helmRepositoryUrl}  oci://${world.registry}/charts (plain HTTP)`,
    '',
    `Use it in a shell:  eval "$(${commandLine('env', dir)})"  then  kubectl --context member-1 get nodes`,
  ];
}

/** Shows the lines of a start as one task. */
async function withProgress(
  title: string,
  start: (onProgress: NonNullable<StartWorldOptions['onProgress']>) => Promise<World>,
): Promise<World> {
  let world: World | undefined;
  const tasks = new Listr(
    [
      {
        title,
        task: async (_context, task) => {
          world = await start((line) => {
            task.output = line;
          });
        },
        rendererOptions: { persistentOutput: false, outputBar: 4 },
      },
    ],
    { fallbackRendererCondition: () => !process.stdout.isTTY, registerSignalListeners: false },
  );
  await tasks.run();
  if (world === undefined) throw new Error('the sandbox did not start');
  return world;
}

/** Aborted by the first signal that asks this process to end. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  }
  return controller.signal;
}

async function hold(world: World, signal: AbortSignal): Promise<void> {
  try {
    await writeState(world);
    say('Running until Ctrl-C.');
    // A pending promise does not keep Node alive; the servers of the world do.
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  } finally {
    await world.stop();
    say('The sandbox is gone.');
  }
}

async function up(options: UpOptions): Promise<void> {
  const { dir, members } = options;
  const running = await runningState(dir);
  if (running !== undefined) {
    say(`A sandbox already runs in ${dir} (process ${running.holder.pid}).\n`);
    say(readyLines(running.world, dir).join('\n'));
    return;
  }
  if (await isInTransition(dir)) {
    throw new Error(`a sandbox is starting or ending in ${dir}: wait, or end it with ${commandLine('down', dir)}`);
  }
  await stopWorldIn(dir);
  const signal = interruption();
  const start = options.detach === true ? startHeldWorld : startWorld;
  const title = `Sandbox: a host and ${members} member${members === 1 ? '' : 's'}`;
  const world = await withProgress(title, (onProgress) => start({ dir, members, onProgress, signal }));
  say(readyLines(world, dir).join('\n'));
  if (options.detach === true) say(`End it with:  ${commandLine('down', dir)}`);
  else await hold(world, signal);
}

async function down(options: { dir: string }): Promise<void> {
  const stopped = await stopWorldIn(options.dir);
  say(stopped ? `The sandbox in ${options.dir} is gone.` : `There is no sandbox in ${options.dir}.`);
}

async function env(options: { dir: string }): Promise<void> {
  const world = await findWorld(options.dir);
  if (world === undefined) {
    throw new Error(`no sandbox runs in ${options.dir}: start one with ${commandLine('up', options.dir)}`);
  }
  say(environmentLines(world).join('\n'));
}

/** `fairlead sandbox up|down|env`. */
export function sandboxCommand(): Command {
  const command = new Command('sandbox').description(
    'Control planes, git server, Helm repository and OCI registry on this machine.',
  );
  const verb = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--dir <folder>', 'where the sandbox lives; one folder, one sandbox', DEFAULT_DIR);
  verb('up', 'Start a sandbox and hold it until Ctrl-C.')
    .option('--members <n>', 'member clusters beside the host', memberCount, DEFAULT_MEMBERS)
    .option('--detach', 'return when it is ready; it runs until `fairlead sandbox down`')
    .action(up);
  verb('down', 'End a sandbox and remove its folder, also after a crash.').action(down);
  verb('env', 'Print shell lines for kubectl, helm and the servers of a running sandbox.').action(env);
  return command;
}
