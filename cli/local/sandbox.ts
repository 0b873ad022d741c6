import path from 'node:path';
import type { Command } from 'commander';
import { shellQuoted } from '#lib/text/text.js';
import { untilAborted } from '#runtime/process/signals.js';
import { findWorld, isInTransition, startDaemonWorld, stopWorldIn } from '#sandbox/daemon-world.js';
import { runningState, writeState } from '#sandbox/state.js';
import type { ToolChoice } from '#sandbox/tools.js';
import { startWorld, type World } from '#sandbox/world.js';
import { compileOption, downloadOption, numberArgument, pathArgument } from '../command/arguments.js';
import { interruption } from '../command/exit.js';
import { programName } from '../command/program-info.js';
import { step } from '../output/progress.js';
import { print } from '../output/standard-output.js';

const DEFAULT_DIR = path.join('.fairlead', 'sandbox');
const DEFAULT_MEMBERS = 2;
const MOST_MEMBERS = 20;

interface UpOptions extends ToolChoice {
  dir: string;
  members: number;
  detach?: true;
}

/** How a user of this installation types a verb. */
function commandLine(verb: 'up' | 'down' | 'env', dir: string): string {
  return `${programName()} sandbox ${verb}${dir === DEFAULT_DIR ? '' : ` --dir ${shellQuoted(dir)}`}`;
}

/** The lines of `fairlead sandbox env`, for `eval` in a POSIX shell. */
export function environmentLines(world: Omit<World, 'stop'>): string[] {
  const kubeconfigs = [world.host, ...world.members].map(({ kubeconfig }) => kubeconfig);
  const { kubectl, helm, kustomize } = world.tools;
  const program = path.join(world.dir, 'bin');
  const toolFolders = [...new Set([program, ...[kubectl, helm, kustomize].map((file) => path.dirname(file))])];
  return [
    `export KUBECONFIG=${shellQuoted(kubeconfigs.join(path.delimiter))}`,
    `export PATH=${shellQuoted(toolFolders.join(path.delimiter))}${path.delimiter}"$PATH"`,
    `export FAIRLEAD_GIT_URL=${shellQuoted(world.gitUrl)}`,
    `export FAIRLEAD_HELM_REPOSITORY=${shellQuoted(world.helmRepositoryUrl)}`,
    `export FAIRLEAD_REGISTRY=${shellQuoted(world.registry)}`,
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

async function hold(world: World, signal: AbortSignal): Promise<void> {
  try {
    await writeState(world);
    print('Running until Ctrl-C.');
    // A pending promise does not keep Node alive; the servers of the world do.
    await untilAborted(signal);
  } finally {
    await world.stop();
    print('The sandbox was removed.');
  }
}

async function up(options: UpOptions): Promise<void> {
  const { dir, members, download, compile } = options;
  const running = await runningState(dir);
  if (running !== undefined) {
    print(`A sandbox already runs in ${dir} (process ${running.holder.pid}).\n`);
    print(readyLines(running.world, dir).join('\n'));
    return;
  }
  if (await isInTransition(dir)) {
    throw new Error(`a sandbox is starting or stopping in ${dir}: wait, or stop it with ${commandLine('down', dir)}`);
  }
  await stopWorldIn(dir);
  const signal = interruption();
  const start = options.detach === true ? startDaemonWorld : startWorld;
  const title = `Sandbox: a host and ${members} member${members === 1 ? '' : 's'}`;
  const world = await step(title, (onProgress) => start({ dir, members, download, compile, onProgress, signal }));
  print(readyLines(world, dir).join('\n'));
  if (options.detach === true) print(`Stop it with:  ${commandLine('down', dir)}`);
  else await hold(world, signal);
}

async function down(options: { dir: string }): Promise<void> {
  const stopped = await stopWorldIn(options.dir);
  print(stopped ? `The sandbox in ${options.dir} was removed.` : `There is no sandbox in ${options.dir}.`);
}

async function env(options: { dir: string }): Promise<void> {
  const world = await findWorld(options.dir);
  if (world === undefined) {
    throw new Error(`no sandbox is running in ${options.dir}: start one with ${commandLine('up', options.dir)}`);
  }
  print(environmentLines(world).join('\n'));
}

/** `fairlead sandbox up|down|env`. */
export function sandboxCommand(command: Command): void {
  command.description('Control planes, Git server, Helm repository and OCI registry on this machine.');
  const verb = (name: string, description: string): Command =>
    command
      .command(name)
      .description(description)
      .option('--dir <folder>', 'folder of the sandbox; one folder, one sandbox', pathArgument, DEFAULT_DIR);
  verb('up', 'Start a sandbox and keep it until Ctrl-C.')
    .option('--members <n>', 'number of member clusters', numberArgument(0, MOST_MEMBERS), DEFAULT_MEMBERS)
    .addOption(downloadOption())
    .addOption(compileOption())
    .option('--detach', 'return when it is ready; it runs until `fairlead sandbox down`')
    .action(up);
  verb('down', 'Stop a sandbox and remove its folder, also after a crash.').action(down);
  verb('env', 'Print shell lines for kubectl, helm and the servers of a running sandbox.').action(env);
}
