import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { kubeFromFile } from '../controllers/runtime/credentials.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { untilAborted } from '../controllers/runtime/signals.js';
import { MEMBER_SECRETS, PROJECT_NAMESPACE, prepareProject } from '../sandbox/project.js';
import { startController, type ControllerProcess } from '../sandbox/controller-process.js';
import { claimNamespace, cleanUp, refuseFlux, refuseInstalled } from './demo/existing-cluster.js';
import { existingWorld, sandboxWorld, type DemoWorld } from './demo/world.js';
import { nextSteps } from './demo/next-steps.js';
import { untilReady } from './demo/readiness.js';
import { applySamples, readSamples } from './demo/samples.js';
import { withMembers } from './demo/members.js';
import { installCrds } from './install/crds.js';
import { interruption } from './interruption.js';
import { programName } from './program-name.js';
import { step } from './progress.js';

const SANDBOX_DIR = path.join('.fairlead', 'sandbox');
const DEMO_DIR = path.join('.fairlead', 'demo');
/** The samples name two members: stage and prod. */
const FEWEST_MEMBERS = 2;
const MOST_MEMBERS = 20;

interface DemoOptions {
  readonly exit?: true;
  readonly members: number;
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly memberKubeconfig: readonly string[];
}

/** What is undone at the end, newest first. */
class TearDown {
  readonly #all: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#all.push(step);
  }

  /** Runs all of them, whatever happens to one; throws the first error afterwards. */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (const step of this.#all.reverse()) await step().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}

function memberCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= FEWEST_MEMBERS && count <= MOST_MEMBERS) return count;
  throw new InvalidArgumentError(`must be a number from ${FEWEST_MEMBERS} to ${MOST_MEMBERS}.`);
}

function collect(file: string, previous: readonly string[]): string[] {
  return [...previous, file];
}

function prepareWorld(options: DemoOptions, signal: AbortSignal): Promise<DemoWorld> {
  const { kubeconfig, members, memberKubeconfig } = options;
  if (kubeconfig === undefined) {
    const dir = options.dir ?? SANDBOX_DIR;
    return step(`Start a host and ${members} members`, (say) => sandboxWorld({ dir, members, signal }, say));
  }
  const dir = options.dir ?? DEMO_DIR;
  const choice = { dir, kubeconfig, memberKubeconfigs: memberKubeconfig, signal };
  return step('Start a Git server and a Helm repository', (say) => existingWorld(choice, say));
}

interface Demo {
  readonly world: DemoWorld;
  readonly kube: Kube;
  readonly controller: ControllerProcess;
}

/** Makes sure, before anything is changed, that the demo gets in nobody's way on a cluster of the user. */
async function claimCluster(kube: Kube): Promise<void> {
  await refuseFlux(kube);
  await refuseInstalled(kube);
  await claimNamespace(kube, PROJECT_NAMESPACE);
}

/** What else there is on a cluster of the user is none of the demo's business. */
function flagsOn({ isExisting }: DemoWorld): string[] {
  return isExisting ? ['--namespace', PROJECT_NAMESPACE] : [];
}

async function setUp(options: DemoOptions, tearDown: TearDown, signal: AbortSignal): Promise<Demo> {
  const world = await prepareWorld(options, signal);
  tearDown.add(world.stop);
  const kube = await kubeFromFile({ path: world.hostKubeconfig });
  tearDown.add(() => kube.close());
  if (world.isExisting) await claimCluster(kube);
  await step('Install the CRDs', () => installCrds(kube, { takeOver: false }));
  const controller = await step('Start the controller', () =>
    startController({ kubeconfig: world.hostKubeconfig, helm: world.helm, dir: world.dir, flags: flagsOn(world) }),
  );
  tearDown.add(controller.stop);
  await step('Create the sources and kubeconfigs of the project', () => prepareProject(world.project, kube));
  if (world.isExisting) tearDown.add(() => cleanUp(kube, PROJECT_NAMESPACE));
  return { world, kube, controller };
}

/** Applies the samples and returns the table of where they run. */
async function deploySamples({ world, kube, controller }: Demo, signal: AbortSignal): Promise<string> {
  const samples = await readSamples();
  const secrets = MEMBER_SECRETS.slice(0, world.project.members.length);
  const objects = samples.map((object) => withMembers(object, secrets));
  await step('Apply the samples', () => applySamples(kube, objects));
  const names = objects.filter(({ kind }) => kind === 'Application').map(({ metadata }) => metadata.name);
  const over = new AbortController();
  const waiting = { namespace: PROJECT_NAMESPACE, names, signal: AbortSignal.any([signal, over.signal]) };
  try {
    return await step('Wait until everything is ready', (say) =>
      Promise.race([untilReady(kube, waiting, say), controller.failure]),
    );
  } finally {
    over.abort(new Error('the controller exited'));
  }
}

async function stay(options: DemoOptions, demo: Demo, signal: AbortSignal): Promise<void> {
  const { dir, kubeconfig } = options;
  const steps = nextSteps({ program: programName(), namespace: PROJECT_NAMESPACE, dir, kubeconfig });
  process.stdout.write(`\n${steps}\n\nLog of the controller: ${demo.controller.logFile}\nRunning until Ctrl-C.\n`);
  await Promise.race([untilAborted(signal), demo.controller.failure]);
}

/** Throws when flags do not go together. */
function checkFlags({ kubeconfig, memberKubeconfig }: DemoOptions): void {
  if (kubeconfig === undefined && memberKubeconfig.length > 0) {
    throw new Error('--member-kubeconfig requires --kubeconfig for the host cluster');
  }
  if (memberKubeconfig.length > MEMBER_SECRETS.length) {
    throw new Error(
      `--member-kubeconfig is given ${memberKubeconfig.length} times, but the samples have two members: stage, then prod`,
    );
  }
}

async function demo(options: DemoOptions): Promise<void> {
  checkFlags(options);
  const tearDown = new TearDown();
  const signal = interruption();
  try {
    const demo = await setUp(options, tearDown, signal);
    process.stdout.write(`\n${await deploySamples(demo, signal)}\n`);
    if (options.exit !== true) await stay(options, demo, signal);
  } finally {
    await tearDown.run();
  }
}

/** `fairlead demo`, which is what `npm start` runs. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('Run one Application on a host cluster and its members, in a sandbox on this machine.')
    .option('--exit', 'exit when everything is ready, with code 0, or 1 if it is not')
    .option('--members <n>', 'number of member clusters', memberCount, FEWEST_MEMBERS)
    .option('--dir <folder>', `folder of the demo; default: ${SANDBOX_DIR}, with --kubeconfig ${DEMO_DIR}`)
    .option('--kubeconfig <file>', 'use this cluster as the host instead of a sandbox')
    .option(
      '--member-kubeconfig <file>',
      'kubeconfig of a member cluster of your own; first stage, then prod',
      collect,
      [],
    )
    .action(demo);
}
