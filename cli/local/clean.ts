import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { leaseResource, namespaceResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { listAll } from '#runtime/client/kube.js';
import { until } from '#runtime/until.js';
import { startController, type ControllerProcess } from '#sandbox/controller-process.js';
import { shellQuoted } from '#lib/text/text.js';
import { ensureTools, type ToolChoice } from '#sandbox/tools.js';
import { onNextSignal } from '../command/exit.js';
import { programName } from '../command/program-info.js';
import { step, type Say } from '../output/progress.js';
import { hasContent, removeCrds, removeDemo } from './existing-cluster.js';
import { isOwnNamespace } from './mark.js';
import { installedController } from './refusals.js';
import { connectAll, type Kubeconfigs, type UserClusters } from './user-clusters.js';
import { freeFolder } from './world.js';

/** A little more than the lease of a controller lasts: its holder renews it in that time, if it lives. */
const LEASE_MS = 17_000;
const POLL_MS = 1_000;

/** A demo on clusters of the user. */
export interface ExistingDemo extends Kubeconfigs, ToolChoice {
  /** Folder on this machine. */
  readonly dir: string;
}

/** Only its own namespace, and one controller at a time there: a demo, or the one that cleans up after it. */
export function flagsIn(namespace: string): string[] {
  return ['--namespace', namespace, '--leader-elect', '--leader-election-namespace', namespace];
}

/** How the user types `--clean` for this demo. */
function cleanCommand({ kubeconfig, memberKubeconfigs, namespace, dir }: ExistingDemo): string {
  const members = memberKubeconfigs.map((file) => `--member-kubeconfig ${shellQuoted(file)}`);
  const where = [
    `--kubeconfig ${shellQuoted(kubeconfig)}`,
    ...members,
    `--namespace ${namespace}`,
    `--dir ${shellQuoted(dir)}`,
  ];
  return `${programName()} demo --clean ${where.join(' ')}`;
}

async function removeAll(clusters: UserClusters, controller: ControllerProcess | undefined, say: Say): Promise<void> {
  const over = new AbortController();
  const removal = removeDemo(clusters, { say, signal: over.signal });
  try {
    await (controller === undefined ? removal : Promise.race([removal, controller.failure]));
  } finally {
    over.abort();
  }
}

interface Leaving {
  readonly choice: ExistingDemo;
  /** The one of the demo, if it was started. */
  readonly controller?: ControllerProcess | undefined;
}

/** A controller for the finalizers; none where one is installed, which then does the same, or nothing has any. */
async function controllerFor(
  clusters: UserClusters,
  { kubeconfig, namespace, download, compile }: ExistingDemo,
  dir: string,
): Promise<ControllerProcess | undefined> {
  if (!(await hasContent(clusters)) || (await installedController(clusters.host.kube)) !== undefined) return undefined;
  const { helm } = await step('Find helm', (onProgress) => ensureTools(['helm'], { onProgress, download, compile }));
  return startController({ kubeconfig: path.resolve(kubeconfig), helm, dir, flags: flagsIn(namespace) });
}

/** Removes a demo with its controller, or with a new one if that has exited or never ran. */
async function removeWithController(clusters: UserClusters, { choice, controller }: Leaving): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-clean-'));
  let running = controller;
  try {
    if (running?.hasExited() !== false) running = await controllerFor(clusters, choice, dir);
    await step('Remove the demo from the clusters', (say) => removeAll(clusters, running, say));
  } finally {
    await running?.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes a demo at its end, with its controller. Another Ctrl-C gives up, and says how to go on. */
export async function leave(clusters: UserClusters, leaving: Leaving): Promise<void> {
  const wayOut = `remove what is left with: ${cleanCommand(leaving.choice)}`;
  const forget = onNextSignal(() => {
    process.stderr.write(`fairlead: interrupted while the demo was being removed; ${wayOut}\n`);
    process.exit(1);
  });
  try {
    await removeWithController(clusters, leaving);
    sayCrds(await removeCrds(clusters));
  } catch (error: unknown) {
    throw new Error(`the demo was not removed completely; ${wayOut}`, { cause: error });
  } finally {
    forget();
  }
}

function sayCrds(left: readonly string[]): void {
  if (left.length === 0) return;
  process.stdout.write(`Left: CRD ${left.join(', ')}: a controller is installed, or there are objects of it.\n`);
}

interface Lease extends KubeObject {
  spec?: { holderIdentity?: string; renewTime?: string };
}

/** Throws while the controller of a demo renews its lease. */
async function refuseRunning({ host: { kube }, namespace }: UserClusters): Promise<void> {
  const held = async (): Promise<string> => {
    const { items } = await listAll<Lease>(kube, leaseResource, { namespace });
    const leases = items.filter(({ spec }) => (spec?.holderIdentity ?? '') !== '');
    return leases.map(({ spec }) => `${spec?.holderIdentity ?? ''} ${spec?.renewTime ?? ''}`).join();
  };
  const before = await held();
  if (before === '') return;
  const isRenewed = async (): Promise<boolean> => {
    const now = await held();
    return now !== '' && now !== before;
  };
  if ((await until(isRenewed, { timeoutMs: LEASE_MS, intervalMs: POLL_MS })) !== true) return;
  throw new Error(
    `a demo is running in namespace ${namespace} of ${kube.server}: end it with Ctrl-C. Nothing was removed.`,
  );
}

/** Throws when the demo had more members than were given: what it left there would be forgotten. */
async function refuseForgotten({ host: { kube }, members, namespace }: UserClusters): Promise<void> {
  const { items } = await listAll(kube, secretResource, { namespace, metadataOnly: true });
  const names = items.map(({ metadata }) => metadata.name).filter((name) => name.endsWith('-kubeconfig'));
  if (names.length <= members.length) return;
  throw new Error(
    `namespace ${namespace} of ${kube.server} has ${names.length} Secrets of members (${names.join(', ')}), ${members.length} were given with --member-kubeconfig. Nothing was removed. Give them all, or delete the Secret of a cluster that is gone.`,
  );
}

async function cleanClusters(clusters: UserClusters, choice: ExistingDemo, signal: AbortSignal): Promise<void> {
  const { host, namespace } = clusters;
  const own = await host.kube.get(namespaceResource, { name: namespace });
  if (own !== undefined && !isOwnNamespace(own, clusters)) {
    throw new Error(
      `namespace ${namespace} of ${host.kube.server} was not created by a demo. Nothing was removed. Choose the one of the demo with --namespace NAME.`,
    );
  }
  if (own !== undefined) {
    await refuseForgotten(clusters);
    await step('Check that no demo is running there', () => refuseRunning(clusters));
  }
  signal.throwIfAborted();
  await leave(clusters, { choice });
}

/** `fairlead demo --clean` on clusters of the user: removes what carries the mark of the demo, as often as wanted. */
export async function cleanExisting(choice: ExistingDemo, signal: AbortSignal): Promise<void> {
  await freeFolder(choice.dir);
  const clusters = await connectAll(choice, signal);
  try {
    await cleanClusters(clusters, choice, signal);
    const servers = [clusters.host, ...clusters.members].map(({ kube }) => kube.server).join(', ');
    process.stdout.write(`Nothing of the demo in namespace ${choice.namespace} is left in ${servers}.\n`);
  } finally {
    await clusters.close();
  }
}
