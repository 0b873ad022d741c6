import { type Command, Option } from 'commander';
import partition from 'lodash/partition.js';
import jsonPatch, { type Operation } from 'fast-json-patch';
import type { KubeObject } from '#api/meta.js';
import { cut, oneLine } from '#lib/text/text.js';
import { parseDuration } from '#lib/duration.js';
import { keyOf } from '#lib/kube/keys.js';
import { HELM_RELEASE_CRD } from '#manager/engine-choice.js';
import type { Kube } from '#runtime/client/kube.js';
import { argument, namespaceArgument } from '../command/arguments.js';
import { type ConnectionOptions, withConnection, withKube } from '../command/connection.js';
import { errorLine, EXIT_INTERRUPTED, ExitError, interruption } from '../command/exit.js';
import { type Applied, type ApplyMode, applyObject, ResourceTypes } from '../command/objects.js';
import { programName } from '../command/program-info.js';
import { print } from '../output/standard-output.js';
import { imageOf, isClusterAdminBinding, keptInWords, PROFILES, type Told } from './choices.js';
import { type ControllerPlan, type ObjectStep, planController } from './controller-plan.js';
import { type CrdStep, isOurs } from './crd-rules.js';
import { applyCrds, decideCrds, type DoneStep } from './crds.js';
import { isBeforeRights, isForEngine, readController, readCrds } from './package.js';
import { rightsLine } from './rights.js';
import { untilAvailable } from './until-available.js';
import { untilDeleted } from './until-deleted.js';

/** One object names so many fields at most; a changed CRD has thousands. */
const MOST_CHANGES = 8;
const MOST_CHARACTERS = 60;

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cut(text, MOST_CHARACTERS, '...');
}

/** `/spec/template/0` as `spec.template[0]`. */
function fieldOf(pointer: string): string {
  const steps = pointer.split('/').slice(1).map(jsonPatch.unescapePathComponent);
  const text = steps.map((step) =>
    /^\d+$/.test(step) ? `[${step}]` : /^[\w-]+$/.test(step) ? `.${step}` : `['${step}']`,
  );
  return text.join('').replace(/^\./, '');
}

function changeLine(operation: Operation): string {
  const field = oneLine(fieldOf(operation.path));
  if (operation.op === 'remove') return `  ${field}: removed`;
  return `  ${field}: ${'value' in operation ? oneLine(short(operation.value)) : operation.op}`;
}

/** Says how an object was changed, or would be: in a dry run with the fields that would change. */
export function appliedLines(name: string, { action, changes }: Applied, { dryRun }: ApplyMode): string[] {
  if (!dryRun) return [`${name} ${action}`];
  const left = changes.length - MOST_CHANGES;
  const more = left > 0 ? [`  and ${left} more`] : [];
  return [`${name} ${action} (dry run)`, ...changes.slice(0, MOST_CHANGES).map(changeLine), ...more];
}

/** The flags of `fairlead install`. */
export interface InstallOptions extends ConnectionOptions, Told {
  readonly crdsOnly?: true;
  readonly takeOver?: true;
  readonly replaceFlux?: true;
  readonly fluxNamespace?: string;
  readonly dryRun?: true;
  readonly wait?: true;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** These flags are for the controller, which `--crds-only` does not install. */
const OF_THE_CONTROLLER = ['image', 'profile', 'wait'] as const;

/** Throws when flags do not go together: one without effect was meant to have one. */
export function checkFlags(options: InstallOptions): void {
  const { crdsOnly, dryRun, fluxNamespace, replaceFlux, timeout, wait } = options;
  const idle = OF_THE_CONTROLLER.find((flag) => options[flag] !== undefined);
  if (crdsOnly === true && idle !== undefined) {
    throw new Error(`--crds-only installs no controller, which --${idle} is for: use only one of the two`);
  }
  if (dryRun === true && wait === true) {
    throw new Error('--dry-run installs nothing to --wait for: use only one of the two');
  }
  if (timeout !== undefined && wait !== true) throw new Error('--timeout limits --wait: set --wait, too');
  if (fluxNamespace !== undefined && replaceFlux !== true) {
    throw new Error('--flux-namespace is where --replace-flux checks that Flux was stopped: set --replace-flux, too');
  }
}

const MOST_MS = 3_600_000;
const DEFAULT_TIMEOUT_MS = 300_000;

interface Installing extends ApplyMode {
  readonly kube: Kube;
  readonly signal: AbortSignal;
}

function sayCrds(steps: readonly DoneStep[], mode: ApplyMode): void {
  for (const { name, applied, why } of steps) {
    if (applied === undefined) print(`CRD ${name} left (${why})`);
    else print(appliedLines(`CRD ${name}`, applied, mode).join('\n'));
  }
  if (isLeftToFlux(steps)) print('Flux in this cluster will reconcile the releases.');
}

function isLeftToFlux(steps: readonly CrdStep[]): boolean {
  return steps.some(({ name, action }) => name === HELM_RELEASE_CRD && action === 'leave');
}

async function applyAll(steps: readonly ObjectStep[], { kube, signal, ...mode }: Installing): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const { object, action, why } of steps) {
    signal.throwIfAborted();
    const name = `${object.kind} ${object.metadata.name}`;
    if (action === 'leave') print(`${name} left (${why})`);
    else {
      const applied = await applyObject(kube, { type: await types.of(object), object }, mode);
      print(appliedLines(name, applied, mode).join('\n'));
    }
  }
}

/** Rights that an earlier installation gave, and that this one does not give. */
async function revoke(objects: readonly KubeObject[], { kube, dryRun, onWrite }: Installing): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const object of objects) {
    const type = await types.of(object);
    const live = await kube.get(type, object.metadata);
    if (live === undefined || !isOurs(live)) continue;
    await kube.delete(type, object.metadata, { uid: live.metadata.uid, dryRun });
    if (!dryRun) onWrite?.();
    print(
      `${object.kind} ${object.metadata.name} removed${dryRun ? ' (dry run)' : ''}: this installation is without it`,
    );
  }
}

function sayWhatNext({ told, ...plan }: ControllerPlan, flags: Told, isExternal: boolean): void {
  const profile = told.profile === undefined || told.profile === flags.profile ? [] : [`profile ${told.profile}`];
  const kept = [...profile, ...keptInWords(plan.packaged, plan.chosen, told)];
  if (kept.length > 0) print(oneLine(`Kept as installed: ${kept.join('; ')}.`));
  if (plan.removed.length > 0) print(oneLine(`Removed by the profile: ${plan.removed.join(' ')}.`));
  print(rightsLine(plan.chosen, { isClusterAdmin: plan.isClusterAdmin, isExternal }));
  const isDefault = imageOf(plan.chosen) === imageOf(plan.packaged);
  print(
    `Image: ${oneLine(imageOf(plan.chosen))}${isDefault ? ', which you build yourself; --image sets another one' : ''}.`,
  );
  print(`Next: ${programName()} status -A`);
}

/** Takes rights before it gives any: an interruption leaves fewer than are wanted, never more. */
async function installController(
  { steps, isClusterAdmin }: ControllerPlan,
  { isExternal, installing }: { readonly isExternal: boolean; readonly installing: Installing },
): Promise<void> {
  const isWanted = ({ object }: ObjectStep): boolean => {
    if (!isForEngine(object)) return true;
    return !isExternal && (isClusterAdmin || !isClusterAdminBinding(object));
  };
  const [wanted, others] = partition(steps, isWanted);
  await revoke(
    others.map(({ object }) => object),
    installing,
  );
  await applyAll(wanted, installing);
}

/** What was decided before anything is written. */
interface Plans {
  /** Undefined with `--crds-only`. */
  readonly controller: ControllerPlan | undefined;
  readonly crds: readonly CrdStep[];
}

/** How to go on, or back if there was no controller before. */
function wayOutOf({ controller }: Plans): string {
  const back = controller?.isUpgrade === false ? ', or remove it with `fairlead uninstall`' : '';
  return `; the installation is incomplete: repeat it with the same flags${back}`;
}

function endOf(error: unknown, { signal, wayOut }: { signal: AbortSignal; wayOut: string }): unknown {
  if (signal.aborted) return new ExitError(`${errorLine(signal.reason)}${wayOut}`, EXIT_INTERRUPTED);
  return wayOut === '' ? error : new Error(`${errorLine(error)}${wayOut}`, { cause: error });
}

async function apply(plans: Plans, flags: Told, installing: Installing): Promise<void> {
  const { kube, signal, dryRun, onWrite } = installing;
  const [before, after] = partition(plans.controller?.steps, ({ object }) => isBeforeRights(object));
  // The profile is recorded before anything else, so that no repetition has to guess it.
  await applyAll(before, installing);
  const done = await applyCrds(kube, plans.crds, { dryRun, onWrite, signal });
  sayCrds(done, { dryRun });
  if (plans.controller === undefined) return;
  const isExternal = isLeftToFlux(done);
  await installController({ ...plans.controller, steps: after }, { isExternal, installing });
  sayWhatNext(plans.controller, flags, isExternal);
}

/** An error after the first write says that the installation is incomplete. */
async function applyOrSay(plans: Plans, flags: Told, installing: Installing): Promise<void> {
  let wayOut = '';
  const onWrite = (): void => {
    wayOut = wayOutOf(plans);
  };
  await apply(plans, flags, { ...installing, onWrite }).catch((error: unknown) => {
    throw endOf(error, { signal: installing.signal, wayOut });
  });
}

async function install(options: InstallOptions): Promise<void> {
  checkFlags(options);
  const { image, profile, fluxNamespace, timeout: timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const [takeOver, dryRun] = [options.takeOver === true, options.dryRun === true];
  const told = { image, profile };
  await withKube(options, async (kube) => {
    const wanted = [...(options.crdsOnly === true ? [] : await readController()), ...(await readCrds())];
    await untilDeleted(kube, wanted, {
      say: print,
      timeoutMs: dryRun ? 0 : timeoutMs,
      problem: 'nothing was installed',
    });
    const controller = options.crdsOnly === true ? undefined : await planController(kube, { ...told, takeOver });
    const crds = await decideCrds(kube, { takeOver, replaceFlux: options.replaceFlux === true, fluxNamespace });
    // Up to here nothing was written, and Ctrl-C just ends the process.
    const signal = interruption();
    await applyOrSay({ controller, crds }, told, { kube, signal, dryRun });
    if (options.wait !== true || controller === undefined) return;
    const { metadata } = controller.chosen;
    await untilAvailable(kube, { deployment: metadata, timeoutMs, signal, say: print });
    print(`Deployment ${keyOf(metadata)} is available.`);
  });
}

const waitArgument = argument((text) => {
  const ms = parseDuration(text) ?? 0;
  return ms >= 1_000 && ms <= MOST_MS ? ms : undefined;
}, 'a duration from 1s to 1h');

const imageArgument = argument(
  (text) => (/^[^\s]+$/.test(text) ? text : undefined),
  'an image, e.g. registry.example/fairlead:1.0.0',
);

/** `fairlead install`. */
export function installCommand(command: Command): void {
  command
    .description('Install or upgrade the CRDs and the controller. Can be repeated safely.')
    .option('--crds-only', 'install only the CRDs')
    .option('--take-over', 'replace objects that somebody else installed, except CRDs of Flux')
    .option(
      '--replace-flux',
      'replace the CRDs of Flux after Flux was stopped, so that the embedded engine continues with its releases',
    )
    .option(
      '--flux-namespace <name>',
      'namespace in which --replace-flux checks that Flux was stopped, as for the controller; default: all namespaces',
      namespaceArgument,
    )
    .option(
      '--image <reference>',
      'image of the controller; default: the installed one, then the one of config/manager',
      imageArgument,
    )
    .addOption(
      new Option(
        '--profile <name>',
        'rights on what releases contain: cluster-admin, or those of ServiceAccounts of their namespaces; default: as installed, then cluster',
      ).choices(PROFILES),
    )
    .option('--dry-run', 'ask the server what would change, and change nothing')
    .option('--wait', 'wait until the controller is available')
    .option(
      '--timeout <duration>',
      'limit of --wait, and of the wait for what is being deleted; default: 5m',
      waitArgument,
    );
  withConnection(command).action(install);
}
