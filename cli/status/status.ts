import type { Command } from 'commander';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { timeoutArgument } from '../command/arguments.js';
import { withConnection } from '../command/connection.js';
import { fluxObjectIn, type FluxObjectName } from '../command/flux-object.js';
import { follow } from '../command/follow.js';
import { interruption } from '../command/exit.js';
import { checkNamespaces, isTable, type ListingOptions, placeOf, withListing } from '../output/listing.js';
import { outputRegion, outputTerminal, print } from '../output/standard-output.js';
import { listPlain, showFluxObject } from './flux-status.js';
import { printFinal, showWhenReady, statusText } from './ready.js';
import { listSelected, type Selection, withSelection } from './wait.js';

/** The value that commander makes of `--wait [state]`. */
export type WaitFlag = true | string;

const READY = 'Ready';

/**
 * The name of the Application, which may have been taken for the state: `--wait web` is `web --wait`. No Application is
 * called `Ready`, for names are lower-case. Throws when both are given and the state is not one to wait for, or one is
 * misspelt.
 */
export function nameOf(argument: string | undefined, wait: WaitFlag | undefined): string | undefined {
  if (wait === undefined || wait === true || wait === READY) return argument;
  const isMisspelt = wait.toUpperCase() === READY.toUpperCase();
  if (argument === undefined && /^[a-z0-9]/.test(wait) && !isMisspelt) return wait;
  throw new Error(`--wait=${wait}: the state must be ${READY}; the name of an Application goes first`);
}

interface StatusOptions extends ListingOptions {
  readonly watch?: true;
  readonly wait?: WaitFlag;
  /** Milliseconds. */
  readonly timeout?: number;
}

async function showOnce(kube: Kube, selection: Selection, options: StatusOptions): Promise<void> {
  const applications = await listSelected(kube, selection);
  const plain = selection.name === undefined ? await listPlain(kube, selection.query) : undefined;
  const isEmpty = applications.length === 0 && isTable(options);
  if (isEmpty) process.stderr.write(`No Applications in ${placeOf(selection.query)}.\n`);
  if (!isEmpty || (plain?.views ?? []).length > 0) await printFinal(kube, applications, options, plain);
}

async function showChanges(kube: Kube, selection: Selection, options: StatusOptions): Promise<void> {
  const interrupted = interruption();
  const region = outputTerminal().isLive && isTable(options) ? outputRegion() : undefined;
  let latest: readonly Application[] = [];
  let last = '';
  const show = (): void => {
    const text = statusText(latest, options);
    if (region !== undefined) region.show(text);
    else if (text !== last) print(text);
    last = text;
  };
  await listSelected(kube, selection);
  process.stdout.on('resize', show);
  const showLatest = (applications: readonly Application[]): void => {
    latest = applications;
    show();
  };
  const { query } = selection;
  await follow<Application>(kube, { type: applicationResource, query, signal: interrupted, show: showLatest });
}

function showReady(kube: Kube, selection: Selection, options: StatusOptions): Promise<void> {
  return showWhenReady(kube, selection, { ...options, interrupted: interruption() });
}

/** Throws when flags do not go together. */
function checkFlags(options: StatusOptions): void {
  const { wait, watch, timeout } = options;
  checkNamespaces(options);
  const isWaiting = wait !== undefined;
  if (isWaiting && watch === true) throw new Error('--wait ends and --watch does not: use only one of the two');
  if (!isWaiting && timeout !== undefined) throw new Error('--timeout limits --wait: set --wait, too');
}

/** Throws when one HelmRelease or Kustomization is to be waited for: that is what kubectl does. */
function checkSnapshot({ resource, name }: FluxObjectName, { wait, watch, namespace }: StatusOptions): void {
  const place = namespace === undefined ? '' : ` -n ${namespace}`;
  const object = `${resource.kind.toLowerCase()}/${name}${place}`;
  if (wait !== undefined)
    throw new Error(`--wait is for Applications: use \`kubectl wait --for=condition=Ready ${object}\``);
  if (watch === true) throw new Error(`--watch is for Applications: use \`kubectl get ${object} --watch\``);
}

/** The reader of our output may have read enough, e.g. `head`; a script that waits must not take this for success. */
function endWithReader({ wait }: StatusOptions): void {
  process.stdout.once('error', () => process.exit(wait === undefined ? process.exitCode : 1));
}

async function status(argument: string | undefined, options: StatusOptions): Promise<void> {
  const { wait, watch } = options;
  checkFlags(options);
  endWithReader(options);
  const name = nameOf(argument, wait);
  const object = fluxObjectIn(name);
  if (object !== undefined) {
    checkSnapshot(object, options);
    await showFluxObject(object, options);
    return;
  }
  const show = wait !== undefined ? showReady : watch === true ? showChanges : showOnce;
  await withSelection(name, options, (kube, selection) => show(kube, selection, options));
}

/** `fairlead status`: exit code 1 when the named object does not exist. */
export function statusCommand(command: Command): void {
  command.argument('[name]', 'only this Application; or KIND/NAME of a HelmRelease or Kustomization, e.g. hr/web');
  withListing(command, 'Applications')
    .option('-w, --watch', 'show every change, until Ctrl-C')
    .option('--wait [state]', 'wait until all are Ready; exit code 1 if one is stalled, 124 if the time is over')
    .option('--timeout <duration>', 'how long --wait waits; default: 5m', timeoutArgument);
  withConnection(command).action(status);
}
