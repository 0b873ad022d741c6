import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { packDirectory } from '#engine/artifact/archive.js';
import { serveArtifacts } from '#engine/artifact/server.js';
import { readKey } from '#engine/artifact/signature.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { untilEstablished } from '#cli/install/crds.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import type { Listening } from '#runtime/process/listen.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import { startWorld, type Cluster, type World } from '#sandbox/world.js';
import { Processes } from '#sandbox/world/processes.js';
import { startFlux, type FluxController } from '#bench/scenarios/flux-controller.js';
import { kubeFor } from '../support/world.js';
import { definitionsOf } from './definitions.js';
import { PARALLEL, type Engine } from './engines.js';

/** One of the two clusters, with a client. */
export interface Side {
  readonly cluster: Cluster;
  readonly kube: Kube;
}

/** Two clusters with Flux's own definitions: Flux reconciles the objects of one, and we those of the other. */
export interface Pair {
  readonly world: World;
  /** Where Flux begins. */
  readonly theirs: Side;
  /** Where we begin. */
  readonly ours: Side;
  /** Packs the files, and serves them to both. */
  readonly publish: (name: string, revision: string, files: Readonly<Record<string, string>>) => Promise<Artifact>;
  /** Stops both engines and starts each on the other's cluster. */
  readonly swap: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Files in which controller-gen writes definitions: `GROUP_PLURAL.yaml`. */
async function installCrds({ cluster, kube }: Side, { tools }: World, contest: Contest): Promise<void> {
  const others = contest.watched.map((name) => path.join(PACKAGE_ROOT, 'config', 'crd', `${name}.yaml`));
  const files = [...(await definitionsOf(contest.controller)), ...others];
  const args = ['create', ...files.flatMap((file) => ['-f', file])];
  await runCommand(tools.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args]);
  const names = files.map((file) => path.basename(file, '.yaml').split('_').reverse().join('.'));
  await Promise.all(names.map((name) => untilEstablished(kube, name)));
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

interface Artifacts {
  readonly store: ArtifactStore;
  readonly server: Listening;
}

async function startArtifacts(root: string): Promise<Artifacts> {
  const key = await readKey(root);
  const server = await serveArtifacts({ root, key, port: 0 });
  return { server, store: createArtifactStore({ root, key, baseUrl: `http://127.0.0.1:${server.address.port}` }) };
}

async function sideOf(cluster: Cluster | undefined, world: World, contest: Contest): Promise<Side> {
  if (cluster === undefined) throw new Error('a pair needs two clusters');
  const side = { cluster, kube: await kubeFor(cluster) };
  await installCrds(side, world, contest);
  return side;
}

/** A controller of Flux, and what we have instead of it. */
export interface Contest {
  readonly controller: FluxController;
  /** Definitions of the kinds that it watches but does not define: `GROUP_PLURAL`. */
  readonly watched: readonly string[];
  /** Flags of the controller. */
  readonly flags?: (scratch: string) => Promise<readonly string[]>;
  readonly startOwn: (options: OwnOptions) => Promise<Engine>;
}

export interface OwnOptions {
  readonly world: World;
  readonly cluster: Cluster;
  readonly store: ArtifactStore;
}

/** What is made up to now, to be ended in reverse. */
type Ending = () => Promise<unknown>;

async function startIn(contest: Contest, parent: string, endings: Ending[]): Promise<Omit<Pair, 'close'>> {
  const { controller, startOwn, flags } = contest;
  const world = await startWorld({ dir: path.join(parent, 'world'), members: 1 });
  endings.push(world.stop);
  const sideOn = (cluster: Cluster | undefined): Promise<Side> => sideOf(cluster, world, contest);
  const [theirs, ours] = await Promise.all([sideOn(world.host), sideOn(world.members[0])]);
  endings.push(() => Promise.all([theirs, ours].map(({ kube }) => kube.close())));
  const processes = await Processes.open(path.join(parent, 'flux'));
  endings.push(() => processes.stop());
  const { store, server } = await startArtifacts(path.join(parent, 'artifacts'));
  endings.push(server.close);
  const flux = async ({ cluster }: Side): Promise<Engine> => {
    const own = { flags: (await flags?.(parent)) ?? [] };
    const running = await startFlux({ controller, cluster, processes, scratch: parent, concurrency: PARALLEL, ...own });
    return { stop: running.kill };
  };
  const own = ({ cluster }: Side): Promise<Engine> => startOwn({ world, cluster, store });
  let engines = await Promise.all([flux(theirs), own(ours)]);
  const stop = (): Promise<unknown> => Promise.all(engines.map((engine) => engine.stop()));
  endings.push(stop);
  return {
    ...{ world, theirs, ours },
    async publish(name, revision, files) {
      const folder = path.join(parent, 'files', name);
      await writeFiles(folder, files);
      const owner = { kind: 'gitrepository', namespace: 'peers', name };
      return store.put(owner, 'files.tar.gz', revision, (file) => packDirectory(folder, file));
    },
    async swap() {
      await stop();
      engines = await Promise.all([flux(ours), own(theirs)]);
    },
  };
}

export async function startPair(contest: Contest): Promise<Pair> {
  const parent = await mkdtemp(path.join(tmpdir(), 'fairlead-peers-'));
  const endings: Ending[] = [() => rm(parent, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    return { ...(await startIn(contest, parent, endings)), close };
  } catch (error: unknown) {
    await close();
    throw error;
  }
}
