import type { Command } from 'commander';
import isEqual from 'lodash/isEqual.js';
import pick from 'lodash/pick.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { describeChild } from '#controllers/application/model/child/messages.js';
import { offering } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { differingFields } from '#controllers/application/model/children/plain.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { listed } from '#lib/text/text.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { readTakeOver } from '#queries/plans/planned.js';
import { afterAdoption, applicationLike, leftOut, whyNotAdopted } from '#queries/plans/adoption.js';
import { type Kube, retryConflicts } from '#runtime/client/kube.js';
import { linkSignals } from '#runtime/process/signals.js';
import { FIELD_MANAGER } from '../command/application.js';
import { argument, namespaceArgument, objectArgument, timeoutArgument } from '../command/arguments.js';
import { inNamespace, type NamespaceOptions, withConnection } from '../command/connection.js';
import { EXIT_INTERRUPTED, EXIT_TIMEOUT, ExitError, interruption } from '../command/exit.js';
import { FLUX_OBJECT_FORM, fluxObjectName, type FluxObjectName, readFluxObject } from '../command/flux-object.js';
import { follow } from '../command/follow.js';
import { withWorkbench } from '../command/local-helm.js';
import { note, print, printSentence } from '../output/standard-output.js';
import { harmlessYaml } from '../output/model/text.js';

interface AdoptOptions extends NamespaceOptions {
  readonly application?: string;
  readonly yes?: true;
  /** Milliseconds. */
  readonly timeout?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const NAMED = 20;

const objectToAdopt = argument(fluxObjectName, FLUX_OBJECT_FORM);

async function readPlain(kube: Kube, wanted: FluxObjectName, namespace: string): Promise<Child> {
  const child = await readFluxObject(kube, wanted, namespace);
  const why = whyNotAdopted(child);
  if (why !== undefined) throw new Error(`${describeChild(child)}: ${why}`);
  return child;
}

/** An Application that takes the object over, as the API server has it, or would have it. */
interface Taker {
  readonly application: Application;
  /** The Application to be created; undefined: it exists. */
  readonly made: Application | undefined;
}

async function takerOf(kube: Kube, child: Child, given: string | undefined): Promise<Taker> {
  const { namespace } = child.metadata;
  const name = given ?? child.metadata.name;
  const existing = await kube.get<Application>(applicationResource, { name, namespace });
  if (existing === undefined) {
    const made = applicationLike(child, name);
    const application = await kube.create(applicationResource, made, { fieldManager: FIELD_MANAGER, dryRun: true });
    return { application, made };
  }
  const why =
    existing.metadata.deletionTimestamp !== undefined
      ? 'is being deleted'
      : asksForDryRun(existing)
        ? 'is in a dry run, and takes nothing over'
        : undefined;
  if (why !== undefined) throw new Error(`Application ${namespace ?? ''}/${name} ${why}`);
  return { application: existing, made: undefined };
}

/** Throws unless the Application would take the object over and change nothing of what it says. */
async function check(kube: Kube, child: Child, { application, made }: Taker, signal: AbortSignal): Promise<void> {
  const { namespace = '', name } = application.metadata;
  const taken = await withWorkbench(undefined, (workbench) =>
    readTakeOver(application, child, { kube, ...workbench, signal }),
  );
  const whose = `Application ${namespace}/${name}${made === undefined ? '' : ', which would be created,'}`;
  if ('problem' in taken) throw new Error(`${whose} would not take ${describeChild(child)} over: ${taken.problem}`);
  const fields = differingFields(child, taken.object);
  if (fields.length === 0) return;
  const wayOut =
    made === undefined
      ? 'have its entry say the same, or name another Application with --application'
      : 'an Application cannot say them';
  throw new Error(`${whose} would change ${describeChild(child)} (${listed(fields, NAMED)}): ${wayOut}`);
}

/** Everything about an object that somebody else than its engine writes. */
function wishOf({ metadata }: Child): unknown {
  return pick(metadata, 'uid', 'generation', 'deletionTimestamp', 'labels', 'annotations', 'ownerReferences');
}

/** Consents for the object, as it was judged, to its take-over by the Application of a UID. */
async function offer(kube: Kube, child: Child, to: string, dryRun: boolean): Promise<void> {
  const { resource } = backendOf(child);
  await retryConflicts(async () => {
    const now = await kube.get<Child>(resource, child.metadata);
    if (now === undefined || !isEqual(wishOf(now), wishOf(child))) {
      throw new Error(`${describeChild(child)} changed meanwhile, and is left unchanged: run this again`);
    }
    const { uid, resourceVersion } = now.metadata;
    const body = { metadata: { ...offering(to).metadata, uid, resourceVersion } };
    await kube.patch(resource, child.metadata, { type: 'merge', body }, { fieldManager: FIELD_MANAGER, dryRun });
  });
}

/** How long to wait, and until when. */
interface Limits {
  /** Milliseconds. */
  readonly timeout: number;
  readonly interrupted: AbortSignal;
}

/** Waits until the controller has taken the object over. */
async function untilTaken(kube: Kube, child: Child, to: Application, { timeout, interrupted }: Limits): Promise<void> {
  const { namespace, name, uid } = child.metadata;
  const over = new AbortController();
  const { signal, unlink } = linkSignals([over.signal, interrupted], timeout);
  const seen = { isTaken: false, isGone: false };
  const show = (objects: readonly Child[]): void => {
    const now = objects.find(({ metadata }) => metadata.uid === uid);
    seen.isGone = now === undefined;
    seen.isTaken = now?.metadata.labels?.[APPLICATION_UID_LABEL] === to.metadata.uid;
    if (seen.isGone || seen.isTaken) over.abort();
  };
  const query = { namespace, fieldSelector: `metadata.name=${name}` };
  try {
    await follow<Child>(kube, { type: backendOf(child).resource, query, signal, show });
  } finally {
    over.abort();
    unlink();
  }
  if (seen.isTaken) return;
  if (seen.isGone) throw new Error(`${describeChild(child)} was deleted meanwhile`);
  const stands = `${describeChild(child)} stays offered to Application ${namespace ?? ''}/${to.metadata.name}`;
  if (interrupted.aborted) throw new ExitError(`interrupted; ${stands}`, EXIT_INTERRUPTED);
  throw new ExitError(
    `${stands}, which has not taken it over yet: \`fairlead status ${to.metadata.name}\` says why`,
    EXIT_TIMEOUT,
  );
}

/**
 * The Application comes first: as long as nothing is offered to it, it waits, and changes nothing. So whatever happens in
 * between, the object stays as it is, and the same command goes on from there.
 */
async function carryOut(kube: Kube, child: Child, { application, made }: Taker, limits: Limits): Promise<void> {
  const { namespace = '', name } = application.metadata;
  if (limits.interrupted.aborted) throw new ExitError('interrupted; nothing is written', EXIT_INTERRUPTED);
  const created = made && (await kube.create(applicationResource, made, { fieldManager: FIELD_MANAGER }));
  if (created !== undefined) printSentence(`Application ${namespace}/${name} created`);
  const taker = created ?? application;
  await offer(kube, child, taker.metadata.uid ?? '', false);
  await untilTaken(kube, child, taker, limits);
  printSentence(`${describeChild(child)} belongs to Application ${namespace}/${name} now`);
}

function announce(child: Child, { application, made }: Taker): void {
  const { namespace = '', name } = application.metadata;
  if (made === undefined) note(`Application ${namespace}/${name} exists, and has an entry for it as it is`);
  else print(harmlessYaml(printYaml(made).trimEnd()));
  for (const field of leftOut(child)) note(`not carried over, as it changes nothing of what is deployed: ${field}`);
  note(afterAdoption(child, application));
}

async function adopt(wanted: FluxObjectName, options: AdoptOptions): Promise<void> {
  const { application: name, yes = false, timeout } = options;
  if (!yes && timeout !== undefined) throw new Error('--timeout limits what --yes waits for: set --yes, too');
  await inNamespace(options, async (kube, namespace) => {
    const child = await readPlain(kube, wanted, namespace);
    const taker = await takerOf(kube, child, name);
    const interrupted = interruption();
    await check(kube, child, taker, interrupted);
    // A user who may create the Application is perhaps not allowed to write the object.
    await offer(kube, child, taker.application.metadata.uid ?? '', true);
    announce(child, taker);
    if (yes) await carryOut(kube, child, taker, { timeout: timeout ?? DEFAULT_TIMEOUT_MS, interrupted });
    else note('nothing is written: --yes does it');
  });
}

/** `fairlead adopt`: makes a plain HelmRelease or Kustomization a child of an Application, in place. */
export function adoptCommand(command: Command): void {
  command
    .argument('<kind/name>', 'a HelmRelease or Kustomization that no Application has', objectToAdopt)
    .option('-n, --namespace <name>', 'namespace of both; default: the one of the context', namespaceArgument)
    .option(
      '--application <name>',
      'the Application; it is created if it does not exist; default: the name of the object',
      objectArgument,
    )
    .option('--yes', 'do it; without this flag, it is only checked and printed')
    .option('--timeout <duration>', 'how long --yes waits for the controller; default: 1m', timeoutArgument);
  withConnection(command).action(adopt);
}
