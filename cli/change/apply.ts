import type { Command } from 'commander';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { describeObject } from '#lib/net/urls.js';
import type { Kube } from '#runtime/client/kube.js';
import { FIELD_MANAGER } from '../command/application.js';
import { namespaceArgument, timeoutArgument } from '../command/arguments.js';
import { type ConnectionOptions, contextNamespace, withConnection, withKube } from '../command/connection.js';
import { errorLine, EXIT_INTERRUPTED, ExitError, interruption } from '../command/exit.js';
import { applyObject, ResourceTypes } from '../command/objects.js';
import { filesArgument, placed, readFiles } from '../command/files.js';
import { DEFAULT_TIMEOUT_MS } from '../status/ready.js';
import { printSentence } from '../output/standard-output.js';
import { waitFor } from './request.js';

interface ApplyOptions extends ConnectionOptions {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly serverDryRun?: true;
  readonly forceConflicts?: true;
  readonly wait?: true;
  /** Milliseconds. */
  readonly timeout?: number;
}

function inNoNamespace(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: undefined } };
}

async function applyOne(kube: Kube, types: ResourceTypes, object: KubeObject, options: ApplyOptions): Promise<void> {
  const dryRun = options.serverDryRun === true;
  const writer = { fieldManager: FIELD_MANAGER, force: options.forceConflicts === true };
  const type = await types.of(object);
  const target = type.namespaced ? object : inNoNamespace(object);
  const { action } = await applyObject(kube, { type, object: target }, { dryRun, writer });
  const suffix = dryRun ? ' (server dry run: nothing is written)' : '';
  printSentence(`${describeObject(type.kind, target.metadata)} ${action}${suffix}`);
}

/** All of them, whatever becomes of the others. Returns those that were not applied, as lines. */
async function applyAll(
  kube: Kube,
  objects: readonly KubeObject[],
  options: ApplyOptions,
  interrupted: AbortSignal,
): Promise<string[]> {
  const types = new ResourceTypes(kube);
  const failures: string[] = [];
  for (const object of objects) {
    if (interrupted.aborted) {
      throw new ExitError('interrupted: what is listed above stays applied', EXIT_INTERRUPTED);
    }
    await applyOne(kube, types, object, options).catch((error: unknown) => {
      failures.push(`${describeObject(object.kind, object.metadata)}: ${errorLine(error)}`);
    });
  }
  return failures;
}

/** An interruption ends the wait only; what was written is not taken back. */
async function waitForAll(
  kube: Kube,
  objects: readonly KubeObject[],
  { timeout = DEFAULT_TIMEOUT_MS }: ApplyOptions,
  interrupted: AbortSignal,
): Promise<void> {
  const until = Date.now() + timeout;
  const applications = objects.filter(({ kind, apiVersion }) => {
    const { group, kind: wanted } = applicationResource;
    return kind === wanted && apiVersion.startsWith(`${group}/`);
  });
  for (const { metadata } of applications) {
    const ref = { name: metadata.name, namespace: metadata.namespace ?? '' };
    try {
      await waitFor(kube, { ref, timeout, until, interrupted });
    } catch (error: unknown) {
      if (!interrupted.aborted) throw error;
      const said = `interrupted: Application ${ref.namespace}/${ref.name} stays applied`;
      throw new ExitError(said, EXIT_INTERRUPTED, { cause: error });
    }
  }
}

function checkFlags({ wait, timeout, serverDryRun }: ApplyOptions): void {
  if (wait !== true && timeout !== undefined) throw new Error('--timeout limits --wait: set --wait, too');
  if (wait === true && serverDryRun === true) throw new Error('--server-dry-run applies nothing to --wait for');
}

async function apply(options: ApplyOptions): Promise<void> {
  checkFlags(options);
  const files = await readFiles(options.filename ?? []);
  await withKube(options, async (kube) => {
    const fallback = await contextNamespace(options);
    const objects = files.map((each) => placed(each, options.namespace, fallback));
    const interrupted = interruption();
    const failures = await applyAll(kube, objects, options, interrupted);
    if (failures.length > 0) throw new Error(failures.join('\n'));
    if (options.wait === true) await waitForAll(kube, objects, options, interrupted);
  });
}

/** `fairlead apply`: server-side apply as kubectl does it, and a wait for Applications. */
export function applyCommand(command: Command): void {
  command
    .option(
      '-f, --filename <file>',
      'a YAML file, a folder of them, or - for the standard input; may be repeated',
      filesArgument,
    )
    .option(
      '-n, --namespace <name>',
      'namespace of objects that name none; default: the one of the context',
      namespaceArgument,
    )
    .option('--server-dry-run', 'ask the server what would be written, and write nothing')
    .option('--force-conflicts', 'take fields over that others have set')
    .option('--wait', 'wait until the Applications are Ready, as fairlead status --wait does')
    .option('--timeout <duration>', 'how long --wait waits; default: 5m', timeoutArgument);
  withConnection(command).action(apply);
}
