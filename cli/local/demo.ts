import path from 'node:path';
import type { Command } from 'commander';
import type { KubeObject } from '#api/meta.js';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { linkSignals, untilAborted } from '#runtime/process/signals.js';
import { type ControllerProcess, startController } from '#sandbox/controller-process.js';
import { memberSecrets, prepareProject, PROJECT_NAMESPACE } from '#sandbox/project.js';
import type { ToolChoice } from '#sandbox/tools.js';
import {
  argument,
  compileOption,
  downloadOption,
  numberArgument,
  pathArgument,
  repeated,
} from '../command/arguments.js';
import { installCrds } from '../install/crds.js';
import { interruption } from '../command/exit.js';
import { programName } from '../command/program-info.js';
import { step } from '../output/progress.js';
import { cleanExisting, type ExistingDemo, flagsIn, leave } from './clean.js';
import { type DemoDashboard, linkLines, linkOnEnter, startDashboard, type UserRights } from './dashboard.js';
import { claimNamespace, createCrds, createTargets } from './existing-cluster.js';
import { connectAll, memberKubeconfig } from './user-clusters.js';
import { placedIn, targetsOf, withMembers } from './model/placement.js';
import { nextSteps } from './model/next-steps.js';
import { untilReady } from './readiness.js';
import { refuseToDisturb } from './refusals.js';
import { showRollout, withHistory } from './rollout.js';
import { applySamples, readSamples } from './samples.js';
import { type DemoWorld, existingWorld, freeFolder, sandboxWorld } from './world.js';

const SANDBOX_DIR = path.join('.fairlead', 'sandbox');
const DEMO_DIR = path.join('.fairlead', 'demo');
const DEMO_NAMESPACE = 'fairlead-demo';
/** A DNS label with room for the names of the namespaces that the samples deploy to. */
const demoNamespace = (text: string): string | undefined =>
  /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text) ? text : undefined;
/** The samples name two members: stage and prod. */
const FEWEST_MEMBERS = 2;
const MEMBERS = 4;
const MOST_MEMBERS = 20;

/** What `--clean` does not start needs none of these. */
const OF_A_START = ['exit', 'members', 'download', 'compile'] as const;

interface DemoOptions extends ToolChoice {
  readonly exit?: true;
  readonly members?: number;
  readonly dir?: string;
  readonly kubeconfig?: string;
  readonly memberKubeconfig: readonly string[];
  readonly namespace?: string;
  readonly clean?: true;
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

/** A demo that is set up: what it applies, and where. */
interface Demo {
  readonly world: DemoWorld;
  readonly kube: Kube;
  readonly controller: ControllerProcess;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
  /** Of the one who looks at the dashboard. */
  readonly rights: UserRights;
}

async function samplesFor(members: number): Promise<KubeObject[]> {
  const samples = await readSamples();
  return samples.map((object) => withMembers(object, memberSecrets(members)));
}

async function setUpSandbox(options: DemoOptions, tearDown: TearDown, signal: AbortSignal): Promise<Demo> {
  const { members = MEMBERS, dir = SANDBOX_DIR, download, compile } = options;
  const choice = { dir, members, download, compile, signal };
  const world = await step(`Start a host and ${members} members`, (say) => sandboxWorld(choice, say));
  tearDown.add(world.stop);
  const kube = await kubeFromFile({ path: world.hostKubeconfig });
  tearDown.add(() => kube.close());
  await step('Install the CRDs', () => installCrds(kube, { takeOver: false }));
  const start = { kubeconfig: world.hostKubeconfig, helm: world.helm, dir: world.dir };
  const controller = await step('Start the controller', () => startController(start));
  tearDown.add(controller.stop);
  await step('Create the sources and kubeconfigs of the project', () => prepareProject(world.project, kube));
  const namespace = PROJECT_NAMESPACE;
  return { world, kube, controller, namespace, objects: withHistory(await samplesFor(members)), rights: { namespace } };
}

/** Nothing is written before all clusters have been checked, and nothing stays. */
async function setUpExisting(choice: ExistingDemo, tearDown: TearDown, signal: AbortSignal): Promise<Demo> {
  const { dir, download, compile, namespace, kubeconfig } = choice;
  const members = await Promise.all(choice.memberKubeconfigs.map(memberKubeconfig));
  const clusters = await connectAll(choice, signal);
  tearDown.add(clusters.close);
  const objects = (await samplesFor(members.length)).map((object) => placedIn(namespace, object));
  const targets = targetsOf(objects);
  await step('Check the clusters', () => refuseToDisturb(clusters, targets));
  const local = { dir, namespace, kubeconfig, members, download, compile, signal };
  const world = await step('Start a Git server and a Helm repository', (say) => existingWorld(local, say));
  tearDown.add(world.stop);
  signal.throwIfAborted();
  const running: { controller?: ControllerProcess } = {};
  await claimNamespace(clusters);
  tearDown.add(() => leave(clusters, { choice, controller: running.controller }));
  await step('Create CRDs and namespaces', async () => {
    await createCrds(clusters);
    await createTargets(clusters, targets);
  });
  const flags = flagsIn(namespace);
  const start = { kubeconfig: world.hostKubeconfig, helm: world.helm, dir: world.dir, flags };
  const controller = await step('Start the controller', () => startController(start));
  running.controller = controller;
  const { kube } = clusters.host;
  await step('Create the sources and kubeconfigs of the project', () => prepareProject(world.project, kube));
  const ofHost = targets.filter(({ secret }) => secret === undefined).map((target) => target.namespace);
  const rights = { namespace, within: [namespace, ...ofHost] };
  return { world, kube, controller, namespace, objects, rights };
}

/** Applies the samples and returns the table of where they run. */
async function deploySamples({ kube, controller, namespace, objects }: Demo, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  await step('Apply the samples', () => applySamples(kube, objects));
  const names = objects.filter(({ kind }) => kind === 'Application').map(({ metadata }) => metadata.name);
  const over = new AbortController();
  const linked = linkSignals([signal, over.signal]);
  try {
    return await step('Wait until everything is ready', (say) =>
      Promise.race([untilReady(kube, { namespace, names, signal: linked.signal }, say), controller.failure]),
    );
  } finally {
    over.abort(new Error('the controller exited'));
    linked.unlink();
  }
}

/** Beside the controller, from before there is something to see. */
async function openDashboard(demo: Demo, tearDown: TearDown): Promise<DemoDashboard> {
  const dashboard = await step('Start the dashboard', () => startDashboard(demo));
  tearDown.add(dashboard.process.stop);
  process.stdout.write(`\n${linkLines(await dashboard.link())}\n`);
  return dashboard;
}

interface Stay {
  readonly options: DemoOptions;
  readonly dashboard: DemoDashboard;
  readonly signal: AbortSignal;
}

async function stay({ controller, namespace }: Demo, { options, dashboard, signal }: Stay): Promise<void> {
  const { dir, kubeconfig } = options;
  const steps = nextSteps({ program: programName(), namespace, dir, kubeconfig });
  const write = (text: string): void => void process.stdout.write(text);
  write(`\n${steps}\n\n${linkLines(await dashboard.link())}`);
  write(`${process.stdin.isTTY ? 'Enter prints another link. ' : ''}Log of the controller: ${controller.logFile}\n`);
  write('Running until Ctrl-C.\n');
  const stopListening = linkOnEnter(dashboard, write);
  try {
    await Promise.race([untilAborted(signal), controller.failure, dashboard.process.failure]);
  } finally {
    stopListening();
  }
}

/** Throws when flags do not go together. */
function checkFlags(options: DemoOptions): void {
  const { clean, kubeconfig, memberKubeconfig, members, namespace } = options;
  // On clusters of the user, --clean may need a controller.
  const isUsed = (flag: string): boolean => kubeconfig !== undefined && (flag === 'download' || flag === 'compile');
  const idle = OF_A_START.find((flag) => options[flag] !== undefined && !isUsed(flag));
  if (clean === true && idle !== undefined) {
    throw new Error(`--clean starts no demo, which --${idle} is for: use only one of the two`);
  }
  if (kubeconfig !== undefined) {
    if (members === undefined) return;
    throw new Error('--members is for a sandbox: with --kubeconfig, set --member-kubeconfig for each member');
  }
  if (memberKubeconfig.length > 0) throw new Error('--member-kubeconfig requires --kubeconfig for the host cluster');
  if (namespace !== undefined)
    throw new Error('--namespace requires --kubeconfig: a sandbox has a namespace of its own');
}

/** The choice of clusters of the user; undefined for a sandbox. */
function existingDemo(options: DemoOptions): ExistingDemo | undefined {
  const { kubeconfig, memberKubeconfig: memberKubeconfigs, namespace = DEMO_NAMESPACE, dir = DEMO_DIR } = options;
  if (kubeconfig === undefined) return undefined;
  const { download, compile } = options;
  return { kubeconfig, memberKubeconfigs, namespace, dir, download, compile };
}

async function clean(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const { dir = SANDBOX_DIR } = options;
  const choice = existingDemo(options);
  if (choice !== undefined) return cleanExisting(choice, signal);
  const removed = await freeFolder(dir);
  process.stdout.write(
    removed ? `What a demo left in ${dir} was removed.\n` : `There is nothing of a demo in ${dir}.\n`,
  );
}

async function demo(options: DemoOptions): Promise<void> {
  checkFlags(options);
  const tearDown = new TearDown();
  const signal = interruption();
  if (options.clean === true) return clean(options, signal);
  const choice = existingDemo(options);
  try {
    const demo = await (choice === undefined
      ? setUpSandbox(options, tearDown, signal)
      : setUpExisting(choice, tearDown, signal));
    const dashboard = options.exit === true ? undefined : await openDashboard(demo, tearDown);
    process.stdout.write(`\n${await deploySamples(demo, signal)}\n`);
    if (choice === undefined) await Promise.race([showRollout({ ...demo, signal }), demo.controller.failure]);
    if (dashboard !== undefined) await stay(demo, { options, dashboard, signal });
  } finally {
    await tearDown.run();
  }
}

/** `fairlead demo`, which is what `npm start` runs. */
export function demoCommand(command: Command): void {
  command
    .description('Run one Application on a host cluster and its members, in a sandbox on this machine.')
    .option('--exit', 'exit when everything is ready and rolled out, with code 0, or 1 if it is not')
    .option(
      '--members <n>',
      `number of member clusters of the sandbox; default: ${MEMBERS}`,
      numberArgument(FEWEST_MEMBERS, MOST_MEMBERS),
    )
    .option(
      '--dir <folder>',
      `folder of the demo; default: ${SANDBOX_DIR}, with --kubeconfig ${DEMO_DIR}`,
      pathArgument,
    )
    .addOption(downloadOption())
    .addOption(compileOption())
    .option('--kubeconfig <file>', 'use this cluster as the host instead of a sandbox', pathArgument)
    .option(
      '--member-kubeconfig <file>',
      'kubeconfig of a member cluster of your own; first stage, then prod, then more',
      repeated(pathArgument),
      [],
    )
    .option(
      '--namespace <name>',
      `namespace of the demo on your own cluster, which must not exist; default: ${DEMO_NAMESPACE}`,
      argument(demoNamespace, 'a name of up to 40 lower-case letters, digits and hyphens'),
    )
    .option('--clean', 'remove what a demo with the same flags left after a crash, and exit')
    .action(demo);
}
