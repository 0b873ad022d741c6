import { Command, InvalidArgumentError, Option } from 'commander';
import partition from 'lodash/partition.js';
import type { KubeObject } from '../api/meta.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { keyOf } from '../controllers/runtime/pure/keys.js';
import { parseDuration } from '../controllers/runtime/pure/duration.js';
import { namespaceArgument } from './arguments.js';
import { withConnection, withKube, type ConnectionOptions } from './connection.js';
import { applyObject, type ApplyMode } from './install/apply.js';
import { imageOf, isClusterAdminBinding, keptInWords, PROFILES, type Profile, type Told } from './install/choices.js';
import { planController, type ControllerPlan } from './install/controller-plan.js';
import { installCrds, type DoneStep } from './install/crds.js';
import { isOurs, type CrdStep } from './install/crd-rules.js';
import type { ObjectStep } from './install/object-rules.js';
import { isForEngine } from './install/package.js';
import { appliedLines } from './install/report.js';
import { rightsLine } from './install/rights.js';
import { untilAvailable } from './install/rollout.js';
import { interruption } from './interruption.js';
import { programName } from './program-name.js';
import { ResourceTypes } from './resource-types.js';
import { oneLine } from './terminal/text.js';

const MOST_MS = 3_600_000;

interface InstallOptions extends ConnectionOptions {
  readonly crdsOnly?: true;
  readonly takeOver?: true;
  readonly replaceFlux?: true;
  readonly fluxNamespace?: string;
  readonly image?: string;
  readonly profile?: Profile;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly timeout: number;
}

interface Installing extends ApplyMode {
  readonly kube: Kube;
  readonly signal: AbortSignal;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function sayCrds(steps: readonly DoneStep[], mode: ApplyMode): void {
  for (const { name, applied, why } of steps) {
    if (applied === undefined) say(`CRD ${name} left (${why})`);
    else say(appliedLines(`CRD ${name}`, applied, mode).join('\n'));
  }
  if (isLeftToFlux(steps)) say('Flux in this cluster will reconcile the releases.');
}

function isLeftToFlux(steps: readonly CrdStep[]): boolean {
  return steps.some(({ action }) => action === 'leave');
}

async function applyAll(steps: readonly ObjectStep[], { kube, signal, dryRun }: Installing): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const { object, action, why } of steps) {
    signal.throwIfAborted();
    const name = `${object.kind} ${object.metadata.name}`;
    if (action === 'leave') say(`${name} left (${why})`);
    else {
      const applied = await applyObject(kube, { type: await types.of(object), object }, { dryRun });
      say(appliedLines(name, applied, { dryRun }).join('\n'));
    }
  }
}

/** Rights that an earlier installation gave, and that this one does not give. */
async function revoke(objects: readonly KubeObject[], { kube, dryRun }: Installing): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const object of objects) {
    const type = await types.of(object);
    const live = await kube.get(type, object.metadata);
    if (live === undefined || !isOurs(live)) continue;
    await kube.delete(type, object.metadata, { uid: live.metadata.uid, dryRun });
    say(`${object.kind} ${object.metadata.name} removed${dryRun ? ' (dry run)' : ''}: this installation is without it`);
  }
}

function sayWhatNext(plan: ControllerPlan, told: Told, isExternal: boolean): void {
  const kept = keptInWords(plan.packaged, plan.chosen, told);
  if (kept.length > 0) say(oneLine(`Kept as installed: ${kept.join('; ')}.`));
  if (plan.removed.length > 0) say(oneLine(`Removed by the profile: ${plan.removed.join(' ')}.`));
  say(rightsLine(plan.chosen, { isClusterAdmin: plan.isClusterAdmin, isExternal }));
  const isDefault = imageOf(plan.chosen) === imageOf(plan.packaged);
  say(
    `Image: ${oneLine(imageOf(plan.chosen))}${isDefault ? ', which you build yourself; --image sets another one' : ''}.`,
  );
  say(`Next: ${programName()} status -A`);
}

async function installController(
  plan: ControllerPlan,
  {
    told,
    isExternal,
    installing,
  }: { readonly told: Told; readonly isExternal: boolean; readonly installing: Installing },
): Promise<void> {
  const isWanted = ({ object }: ObjectStep): boolean => {
    if (!isForEngine(object)) return true;
    return !isExternal && (plan.isClusterAdmin || !isClusterAdminBinding(object));
  };
  const [wanted, others] = partition(plan.steps, isWanted);
  await applyAll(wanted, installing);
  await revoke(
    others.map(({ object }) => object),
    installing,
  );
  sayWhatNext(plan, told, isExternal);
}

async function install(options: InstallOptions): Promise<void> {
  const { image, profile, fluxNamespace, timeout: timeoutMs } = options;
  const [takeOver, dryRun] = [options.takeOver === true, options.dryRun === true];
  const told = { image, profile };
  const signal = interruption();
  await withKube(options, async (kube) => {
    const plan = options.crdsOnly === true ? undefined : await planController(kube, { ...told, takeOver });
    signal.throwIfAborted();
    const steps = await installCrds(kube, {
      takeOver,
      replaceFlux: options.replaceFlux === true,
      fluxNamespace,
      dryRun,
    });
    sayCrds(steps, { dryRun });
    if (plan === undefined) return;
    await installController(plan, { told, isExternal: isLeftToFlux(steps), installing: { kube, signal, dryRun } });
    if (options.wait !== true || dryRun) return;
    await untilAvailable(kube, { deployment: plan.chosen.metadata, timeoutMs, signal, say });
    say(`Deployment ${keyOf(plan.chosen.metadata)} is available.`);
  });
}

function timeoutOf(text: string): number {
  const ms = parseDuration(text) ?? 0;
  if (ms >= 1_000 && ms <= MOST_MS) return ms;
  throw new InvalidArgumentError('must be a duration from 1s to 1h.');
}

function imageReference(text: string): string {
  if (/^[^\s]+$/.test(text)) return text;
  throw new InvalidArgumentError('must be an image, e.g. registry.example/fairlead:1.0.0.');
}

/** `fairlead install`. */
export function installCommand(): Command {
  const command = new Command('install')
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
      imageReference,
    )
    .addOption(
      new Option(
        '--profile <name>',
        'rights on what releases contain: cluster-admin, or those of ServiceAccounts of their namespaces; default: as installed, then cluster',
      ).choices(PROFILES),
    )
    .option('--dry-run', 'ask the server what would change, and change nothing')
    .option('--wait', 'wait until the controller is available')
    .addOption(new Option('--timeout <duration>', 'limit of --wait').argParser(timeoutOf).default(300_000, '5m'));
  return withConnection(command).action(install);
}
