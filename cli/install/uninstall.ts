import type { Command } from 'commander';
import partition from 'lodash/partition.js';
import { createInterface } from 'node:readline/promises';
import { deploymentResource, podResource, secretResource } from '#api/core.js';
import { resourceType, type KubeObject, type ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { APPLICATION_FINALIZER } from '#api/v1alpha1/labels.js';
import { keyOf } from '#lib/kube/keys.js';
import { type Kube, listAll } from '#runtime/client/kube.js';
import { until } from '#runtime/until.js';
import { type ConnectionOptions, contextName, withConnection, withKube } from '../command/connection.js';
import { errorLine, EXIT_INTERRUPTED, ExitError, interruption, onNextSignal } from '../command/exit.js';
import { ResourceTypes } from '../command/objects.js';
import { print } from '../output/standard-output.js';
import { isOurs } from './crd-rules.js';
import { type Crd, installedCrds } from './crds.js';
import { readController } from './package.js';
import { countObjects, disown, ownedChildren, refuseHeld, type Removing, resourceOf } from './release.js';
import { type Deployment, selectorOf, stopLimitSeconds } from './until-available.js';
import { counted, isApplications, purgeLines, removeCrd } from './purge.js';
import { contentInWords, untilDeleted, contentOfOthers, type Content } from './until-deleted.js';

/** Asks on the terminal; true only for a typed `yes`. An end of the input, or Ctrl-C, is a no. */
async function asksForYes(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  try {
    const answer = await terminal.question(`${question} Type yes to continue: `, { signal: closed.signal });
    return answer.trim() === 'yes';
  } catch (error: unknown) {
    if (closed.signal.aborted) return false;
    throw error;
  } finally {
    terminal.close();
  }
}

interface Consent {
  /** The user said so on the command line. */
  readonly isGiven: boolean;
  /** One sentence says the change that the user is asked about. */
  readonly question: string;
}

/** Throws unless the user agrees, by a flag or on the terminal. Without a terminal, only the flag counts. */
async function requireConsent({ isGiven, question }: Consent): Promise<void> {
  if (isGiven) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new Error('nothing was removed: there is no terminal to ask on; repeat with --yes');
  }
  if (!(await asksForYes(question))) throw new Error('nothing was removed');
}

const POLL_MS = 500;
const TELL_MS = 30_000;
const INCOMPLETE = 'the removal is incomplete';

interface UninstallOptions extends ConnectionOptions {
  readonly purge?: true;
  readonly yes?: true;
}

/** A controller that still runs would put its finalizers back and uninstall what must stay. */
async function untilStopped({ kube, signal }: Removing, deployment: Deployment): Promise<void> {
  const { name, namespace = '' } = deployment.metadata;
  const labelSelector = selectorOf(deployment);
  const limitS = stopLimitSeconds(deployment);
  const startMs = performance.now();
  let toldMs = Number.NEGATIVE_INFINITY;
  let pods = '';
  const isStopped = async (): Promise<boolean> => {
    const { length } = (await listAll(kube, podResource, { namespace, labelSelector, metadataOnly: true })).items;
    pods = `${counted(length, 'pod')} of Deployment ${namespace}/${name}`;
    const nowMs = performance.now();
    if (length > 0 && nowMs - toldMs >= TELL_MS) {
      const waitedS = Math.round((nowMs - startMs) / 1_000);
      print(`Waiting for ${pods} to terminate, for ${limitS} s at most (${waitedS} s)`);
      toldMs = nowMs;
    }
    return length === 0;
  };
  if (await until(isStopped, { timeoutMs: limitS * 1_000, intervalMs: POLL_MS, signal })) return;
  const look = `kubectl -n ${namespace} describe pods -l ${labelSelector}`;
  throw new Error(`${pods} did not terminate within ${limitS} s: see why with \`${look}\`, then repeat`);
}

async function remove(removing: Removing, types: ResourceTypes, object: KubeObject): Promise<void> {
  const { kube, signal } = removing;
  signal.throwIfAborted();
  const type = await types.of(object);
  const live = await kube.get(type, object.metadata);
  if (live === undefined) return;
  if (!isOurs(live)) {
    print(`${object.kind} ${object.metadata.name} left: it does not have the label of Fairlead`);
    return;
  }
  // Pods have to be deleted before the rest, so the API server waits for them too.
  await kube.delete(type, object.metadata, { propagationPolicy: 'Foreground', uid: live.metadata.uid });
  if (object.kind === 'Deployment') await untilStopped(removing, live);
  print(`${object.kind} ${object.metadata.name} removed`);
}

/** The controller goes before its rights; the namespace stays until everything else is done. */
async function removeController(removing: Removing, objects: readonly KubeObject[]): Promise<void> {
  const types = new ResourceTypes(removing.kube);
  const [deployments, others] = partition(objects, ({ kind }) => kind === 'Deployment');
  for (const object of [...deployments, ...others]) await remove(removing, types, object);
}

/** What others have in a namespace would be deleted with it: then it stays. */
async function removeNamespace(removing: Removing, namespace: KubeObject): Promise<void> {
  const { kube } = removing;
  const content = await namespaceContent(kube, namespace.metadata.name);
  if (content.length === 0) await remove(removing, new ResourceTypes(kube), namespace);
  else print(`Namespace ${namespace.metadata.name} left: it contains ${contentInWords(content)}`);
}

async function ourCrds(kube: Kube): Promise<Crd[]> {
  return (await installedCrds(kube)).filter(isOurs);
}

async function purge(removing: Removing, crds: readonly Crd[]): Promise<void> {
  const count = await disown(removing);
  if (count > 0) print(`${counted(count, 'release')} detached from Applications`);
  for (const crd of crds) {
    removing.signal.throwIfAborted();
    print(await removeCrd(removing, crd));
  }
}

/** Applications hold on to life until a controller lets them go. */
async function tellOfApplications(kube: Kube): Promise<void> {
  const { items } = await listAll(kube, applicationResource, { metadataOnly: true });
  const held = items.filter(({ metadata }) => metadata.finalizers?.includes(APPLICATION_FINALIZER) === true);
  if (held.length === 0) return;
  print(`Left: ${counted(held.length, 'Application')}. Without a controller they cannot be deleted:`);
  print(
    '`fairlead install` installs it again, `fairlead uninstall --purge` removes them and keeps what they deployed.',
  );
}

async function ourController(kube: Kube): Promise<string | undefined> {
  const deployment = (await readController()).find(({ kind }) => kind === 'Deployment');
  const live = deployment === undefined ? undefined : await kube.get(deploymentResource, deployment.metadata);
  return live !== undefined && isOurs(live) ? keyOf(live.metadata) : undefined;
}

/** Shows what a purge would remove, and where, and asks. */
async function requirePurge(kube: Kube, crds: readonly Crd[], options: UninstallOptions): Promise<void> {
  const context = await contextName(options);
  const plan = {
    context,
    server: kube.server,
    controller: await ourController(kube),
    crds: await Promise.all(
      crds.map(async (crd) => ({ name: crd.metadata.name, objects: await countObjects(kube, crd) })),
    ),
    detached: (await ownedChildren(kube)).length,
  };
  // To where the question goes: nobody answers what they do not see.
  process.stderr.write(`${purgeLines(plan).join('\n')}\n`);
  await requireConsent({ isGiven: options.yes === true, question: `Remove all this from context ${context}?` });
}

async function removeAll(removing: Removing, crds: readonly Crd[], isPurge: boolean): Promise<void> {
  const [namespaces, objects] = partition((await readController()).reverse(), ({ kind }) => kind === 'Namespace');
  await removeController(removing, objects);
  if (isPurge) await purge(removing, crds);
  else if (crds.length > 0) {
    print(`Left: ${crds.length} CRDs and all their objects; --purge removes both.`);
    if (crds.some(isApplications)) await tellOfApplications(removing.kube);
  }
  for (const each of namespaces) await removeNamespace(removing, each);
  const { kube, signal } = removing;
  const removed = [...objects, ...(isPurge ? crds : []), ...namespaces];
  await untilDeleted(kube, removed, { say: print, signal, problem: INCOMPLETE });
  print('Left: all Helm releases and their objects. `helm ls -A` shows the releases of a cluster.');
}

async function uninstall(options: UninstallOptions): Promise<void> {
  const isPurge = options.purge === true;
  if (options.yes === true && !isPurge) throw new Error('--yes answers --purge: set --purge, too');
  await withKube(options, async (kube) => {
    const crds = await ourCrds(kube);
    if (isPurge) {
      await refuseHeld(kube, crds);
      await requirePurge(kube, crds, options);
    }
    // Up to here nothing was removed, and Ctrl-C just ends the process.
    const signal = interruptionOfRemoval();
    await removeAll({ kube, signal }, crds, isPurge).catch((cause: unknown) => {
      if (!signal.aborted) throw cause;
      throw new ExitError(`${errorLine(signal.reason)}; ${INCOMPLETE}: repeat the command`, EXIT_INTERRUPTED);
    });
  });
}

/** The first Ctrl-C ends the removal after the current write, and another one at once. */
function interruptionOfRemoval(): AbortSignal {
  const signal = interruption();
  const giveUp = (): never => {
    process.stderr.write(`fairlead: interrupted again; ${INCOMPLETE}: repeat the command\n`);
    process.exit(EXIT_INTERRUPTED);
  };
  signal.addEventListener('abort', () => onNextSignal(giveUp), { once: true });
  return signal;
}

/** `fairlead uninstall`. */
export function uninstallCommand(command: Command): void {
  command
    .description('Remove the controller; what it deployed keeps running.')
    .option('--purge', 'also remove the CRDs and all their objects, without uninstalling any release')
    .option('--yes', 'do not ask before --purge');
  withConnection(command).action(uninstall);
}

const claimResource = resourceType('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');

/** Kinds that nobody wants to lose with a namespace. */
const VALUED = [secretResource, claimResource, deploymentResource, podResource];

async function listIn(kube: Kube, types: readonly ResourceType[], namespace: string): Promise<Content[]> {
  const lists = types.map(async (type): Promise<Content[]> => {
    const { items } = await listAll(kube, type, { namespace, metadataOnly: true });
    return items.map((object) => ({ kind: type.kind, object }));
  });
  return (await Promise.all(lists)).flat();
}

/** Lists the objects of our kinds and of Flux's in a namespace, and what others run or store there. */
export async function namespaceContent(kube: Kube, namespace: string): Promise<Content[]> {
  const crds = await installedCrds(kube);
  // A CRD that is being deleted takes its objects along in any case.
  const staying = crds.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return [
    ...(await listIn(kube, staying.map(resourceOf), namespace)),
    ...contentOfOthers(await listIn(kube, VALUED, namespace)),
  ];
}
