import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { kubeFromFile } from '../controllers/runtime/credentials.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { untilAborted } from '../controllers/runtime/signals.js';
import { MEMBER_SECRETS, PROJECT_NAMESPACE, prepareProject } from '../sandbox/project.js';
import { startController, type ControllerProcess } from '../sandbox/stage/controller-process.js';
import { claimNamespace, cleanUp, refuseFlux, refuseInstalled } from './demo/borrowed.js';
import { borrowedGround, sandboxGround, type Ground } from './demo/ground.js';
import { nextSteps } from './demo/next-steps.js';
import { untilReady } from './demo/readiness.js';
import { applySamples, readSamples } from './demo/samples.js';
import { withMembers } from './demo/stand-in.js';
import { installCrds } from './install/crds.js';
import { programName } from './program-name.js';
import { step } from './progress.js';

const SANDBOX_DIR = path.join('.fairlead', 'sandbox');
const BORROWED_DIR = path.join('.fairlead', 'demo');
/** The samples speak of two members: stage and prod. */
const FEWEST_MEMBERS = 2;
const MOST_MEMBERS = 20;

interface DemoOptions {
  readonly exit?: true;
  readonly members: number;
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly memberKubeconfig: readonly string[];
}

/** What has to be undone in the end, newest first. */
class Endings {
  readonly #all: (() => Promise<void>)[] = [];

  add(ending: () => Promise<void>): void {
    this.#all.push(ending);
  }

  /** Runs all of them, whatever happens to one; throws the first error afterwards. */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (const ending of this.#all.reverse()) await ending().catch((error: unknown) => errors.push(error));
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

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => controller.abort(new Error(`interrupted by ${name}`)));
  }
  return controller.signal;
}

function prepareGround(options: DemoOptions, signal: AbortSignal): Promise<Ground> {
  const { kubeconfig, members, memberKubeconfig } = options;
  if (kubeconfig === undefined) {
    const dir = options.dir ?? SANDBOX_DIR;
    return step(`Start a host and ${members} members`, (say) => sandboxGround({ dir, members, signal }, say));
  }
  const dir = options.dir ?? BORROWED_DIR;
  const choice = { dir, kubeconfig, memberKubeconfigs: memberKubeconfig, signal };
  return step('Start a git server and a Helm repository', (say) => borrowedGround(choice, say));
}

interface Scene {
  readonly ground: Ground;
  readonly kube: Kube;
  readonly controller: ControllerProcess;
}

/** Makes sure, before anything is changed, that the demo gets in nobody's way on a cluster of the user. */
async function borrow(kube: Kube): Promise<void> {
  await refuseFlux(kube);
  await refuseInstalled(kube);
  await claimNamespace(kube, PROJECT_NAMESPACE);
}

/** What else there is on a cluster of the user is none of the demo's business. */
function flagsOn({ isBorrowed }: Ground): string[] {
  return isBorrowed ? ['--namespace', PROJECT_NAMESPACE] : [];
}

async function setUp(options: DemoOptions, endings: Endings, signal: AbortSignal): Promise<Scene> {
  const ground = await prepareGround(options, signal);
  endings.add(ground.stop);
  const kube = await kubeFromFile({ path: ground.hostKubeconfig });
  endings.add(() => kube.close());
  if (ground.isBorrowed) await borrow(kube);
  await step('Install the CRDs', () => installCrds(kube, { takeOver: false }));
  const controller = await step('Start the controller', () =>
    startController({ kubeconfig: ground.hostKubeconfig, helm: ground.helm, dir: ground.dir, flags: flagsOn(ground) }),
  );
  endings.add(controller.stop);
  await step('Give the project its sources and clusters', () => prepareProject(ground.project, kube));
  if (ground.isBorrowed) endings.add(() => cleanUp(kube, PROJECT_NAMESPACE));
  return { ground, kube, controller };
}

/** Applies the samples and returns the table of where they run. */
async function perform({ ground, kube, controller }: Scene, signal: AbortSignal): Promise<string> {
  const samples = await readSamples();
  const secrets = MEMBER_SECRETS.slice(0, ground.project.members.length);
  const objects = samples.map((object) => withMembers(object, secrets));
  await step('Apply the samples', () => applySamples(kube, objects));
  const names = objects.filter(({ kind }) => kind === 'Application').map(({ metadata }) => metadata.name);
  const over = new AbortController();
  const waiting = { namespace: PROJECT_NAMESPACE, names, signal: AbortSignal.any([signal, over.signal]) };
  try {
    return await step('Wait until everything runs', (say) =>
      Promise.race([untilReady(kube, waiting, say), controller.failure]),
    );
  } finally {
    over.abort(new Error('the controller ended'));
  }
}

async function stay(options: DemoOptions, scene: Scene, signal: AbortSignal): Promise<void> {
  const { dir, kubeconfig } = options;
  const steps = nextSteps({ program: programName(), namespace: PROJECT_NAMESPACE, dir, kubeconfig });
  process.stdout.write(`\n${steps}\n\nLog of the controller: ${scene.controller.logFile}\nRunning until Ctrl-C.\n`);
  await Promise.race([untilAborted(signal), scene.controller.failure]);
}

/** Throws when flags do not go together. */
function checkFlags({ kubeconfig, memberKubeconfig }: DemoOptions): void {
  if (kubeconfig === undefined && memberKubeconfig.length > 0) {
    throw new Error('--member-kubeconfig goes with --kubeconfig, which names the host cluster');
  }
  if (memberKubeconfig.length > MEMBER_SECRETS.length) {
    throw new Error(
      `--member-kubeconfig is given ${memberKubeconfig.length} times, and the samples have two members: stage, then prod`,
    );
  }
}

async function demo(options: DemoOptions): Promise<void> {
  checkFlags(options);
  const endings = new Endings();
  const signal = interruption();
  try {
    const scene = await setUp(options, endings, signal);
    process.stdout.write(`\n${await perform(scene, signal)}\n`);
    if (options.exit !== true) await stay(options, scene, signal);
  } finally {
    await endings.run();
  }
}

/** `fairlead demo`, which is what `npm start` runs. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('Show one Application on a host and its members, from nothing, on this machine.')
    .option('--exit', 'end when everything runs, with code 0, or 1 when it does not')
    .option('--members <n>', 'member clusters beside the host', memberCount, FEWEST_MEMBERS)
    .option('--dir <folder>', `where it lives; default: ${SANDBOX_DIR}, with --kubeconfig ${BORROWED_DIR}`)
    .option('--kubeconfig <file>', 'use this cluster as the host instead of a sandbox')
    .option('--member-kubeconfig <file>', 'a member cluster of your own; first stage, then prod', collect, [])
    .action(demo);
}
