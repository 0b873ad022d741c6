import path from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { type GitRepository, gitRepositoryResource } from '#api/flux/git-repository.js';
import { type Kustomization, kustomizationResource } from '#api/flux/kustomization.js';
import type { World } from '#sandbox/world.js';
import { Processes } from '#sandbox/world/processes.js';
import {
  engineFlags,
  engineRound,
  idleCost,
  peakMiB,
  secondsUntilReady,
  type Subjects,
  withController,
} from './controller.js';
import { ratio } from './figures.js';
import { type Bench, forEach, secondsOf, withCrds } from './harness.js';
import { createNamespaces } from './objects.js';
import { startFlux } from './scenarios/flux-controller.js';
import { mkdir, writeFile } from 'node:fs/promises';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { runCommand } from '#sandbox/command.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import { startGitServer } from '#sandbox/git-server.js';
import { seedRepository } from '#sandbox/servers/git-repository.js';
import { eventually } from './scenarios/eventually.js';

interface Round {
  readonly world: World;
  readonly concurrency: number;
  /** In a namespace of Flux's own. */
  readonly subjects: Subjects;
  /** One more, whose end shows that the controller is at work; it is not part of the time. */
  readonly probe: Kustomization;
  /** The artifact of the source that all of them have. */
  readonly artifact: Artifact;
}

/** Offers an artifact as Flux's source-controller would: nobody reconciles the sources of this namespace. */
async function offerArtifact({ subjects: { kube, namespace }, probe, artifact }: Round): Promise<void> {
  const metadata = { name: probe.spec.sourceRef.name, namespace };
  const object: GitRepository = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata,
    spec: { url: 'https://example.com/repository.git', interval: '10m' },
  };
  await kube.create(gitRepositoryResource, object);
  const body = { status: { artifact } };
  await kube.patch(gitRepositoryResource, metadata, { type: 'merge', body }, { subresource: 'status' });
}

/** Seconds that Flux's own controller takes until all Kustomizations are Ready. It fetches our artifact. */
async function fluxSeconds(round: Round): Promise<number> {
  const { world, concurrency, subjects, probe } = round;
  const { namespace } = subjects;
  await offerArtifact(round);
  const processes = await Processes.open(path.join(world.dir, 'flux'));
  try {
    const cluster = world.host;
    await startFlux({
      ...{ controller: 'kustomize-controller', cluster, processes, concurrency, namespace },
      scratch: world.dir,
    });
    await secondsUntilReady({ ...subjects, objects: [probe] });
    return await secondsUntilReady(subjects);
  } finally {
    await processes.stop();
  }
}

const SOURCE = 'fleet';
const MOST = 500;
/** Objects of the one large build. */
const LARGE = 1_000;
const CONCURRENCY = 4;
/** Longer than any run: what is idle is not disturbed by it. */
const INTERVAL = '6h';
const LARGE_BUILD = 'large';
/** One object. */
const PROBE = 'probe';

/** A checkout of the repository, and where it is served. */
interface Fleet {
  readonly folder: string;
  readonly url: string;
}

interface Place {
  readonly world: World;
  readonly kube: Kube;
  readonly fleet: Fleet;
  readonly namespace: string;
  readonly kustomizations: number;
  /** Flux's own controller is measured, too. */
  readonly withFlux: boolean;
}

function nameOf(index: number): string {
  return `app-${index}`;
}

function manifest(kind: string, name: string, content: object): string {
  return JSON.stringify({ apiVersion: 'v1', kind, metadata: { name }, ...content });
}

function configMaps(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    manifest('ConfigMap', `${name}-${index}`, { data: { turn: 'first' } }),
  );
}

/** Ten objects that are ready at once: what is measured is the engine, not the cluster. */
function tenObjects(name: string): string[] {
  const service = { spec: { clusterIP: 'None', selector: { app: name }, ports: [{ port: 80 }] } };
  return [
    ...configMaps(name, 5),
    manifest('Secret', `${name}-a`, { stringData: { turn: 'first' } }),
    manifest('Secret', `${name}-b`, { stringData: { turn: 'first' } }),
    manifest('Service', `${name}-a`, service),
    manifest('Service', `${name}-b`, service),
    manifest('ServiceAccount', name, {}),
  ];
}

async function writeBuild(folder: string, name: string, objects: readonly string[]): Promise<void> {
  const build = path.join(folder, name);
  await mkdir(build, { recursive: true });
  await writeFile(path.join(build, 'objects.yaml'), objects.join('\n---\n'));
  await writeFile(path.join(build, 'kustomization.yaml'), JSON.stringify({ resources: ['objects.yaml'] }));
}

async function serveFleet(world: World): Promise<Fleet & { readonly close: () => Promise<void> }> {
  const folder = path.join(world.dir, 'bench-fleet');
  await forEach(MOST, (index) => writeBuild(folder, nameOf(index), tenObjects(nameOf(index))), CONCURRENCY);
  await writeBuild(folder, PROBE, configMaps(PROBE, 1));
  await writeBuild(folder, LARGE_BUILD, configMaps(LARGE_BUILD, LARGE));
  const root = path.join(world.dir, 'bench-git');
  await seedRepository(root, SOURCE, folder);
  const server = await startGitServer(root);
  return { folder, url: `${server.origin}/${SOURCE}.git`, close: () => server.close() };
}

/** The bare loop begins with a checkout, and the engine with an artifact. */
async function offerSource({ kube, fleet, namespace }: Place): Promise<Artifact> {
  const metadata = { name: SOURCE, namespace };
  const spec = { url: fleet.url, interval: INTERVAL, ref: { branch: 'main' } };
  const source = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata, spec };
  await kube.create<KubeObject>(gitRepositoryResource, source);
  return eventually(async () => {
    const { status } = (await kube.get<GitRepository>(gitRepositoryResource, metadata)) ?? {};
    if (status?.artifact === undefined) throw new Error('the source has no artifact');
    return status.artifact;
  });
}

function kustomization(namespace: string, name: string): Kustomization {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace },
    spec: {
      ...{ interval: INTERVAL, prune: true, path: name, targetNamespace: namespace },
      sourceRef: { kind: 'GitRepository', name: SOURCE },
    },
  };
}

function buildOf({ world, fleet }: Place, name: string): Promise<string> {
  return runCommand(world.tools.kustomize, ['build', path.join(fleet.folder, name)]);
}

async function applyBare({ world, namespace }: Place, input: string): Promise<void> {
  const args = ['--kubeconfig', world.host.kubeconfig, '-n', `${namespace}-bare`, 'apply', '--server-side', '-f', '-'];
  await runCommand(world.tools.kubectl, args, { input });
}

/** Kustomizations with ten objects each. */
function fleetIn(namespace: string, { kube, kustomizations }: Place): Subjects {
  const objects = Array.from({ length: kustomizations }, (_, index) => kustomization(namespace, nameOf(index)));
  return { kube, type: kustomizationResource, namespace, objects };
}

/** Flux goes first: its namespace is none of ours, whose engine does nothing meanwhile. */
async function measureFlux(place: Place, artifact: Artifact): Promise<number | undefined> {
  if (!place.withFlux) return undefined;
  const namespace = `${place.namespace}-flux`;
  await createNamespaces(place.kube, namespace);
  const { world } = place;
  const probe = kustomization(namespace, PROBE);
  return fluxSeconds({ world, concurrency: CONCURRENCY, subjects: fleetIn(namespace, place), probe, artifact });
}

async function measureFleet(place: Place, controller: ControllerProcess): Promise<Record<string, unknown>> {
  const { world, namespace, kustomizations } = place;
  const seconds = await measureFlux(place, await offerSource(place));
  const engine = await engineRound(fleetIn(namespace, place), controller);
  const bare = async (index: number): Promise<void> => applyBare(place, await buildOf(place, nameOf(index)));
  const bareSeconds = await secondsOf(() => forEach(kustomizations, bare, CONCURRENCY));
  return {
    ...{ kustomizations, concurrency: CONCURRENCY, engine, bareSeconds },
    ratioTimeToBare: ratio(engine.seconds, bareSeconds),
    ...(seconds === undefined ? {} : { fluxSeconds: seconds, ratioTimeToFlux: ratio(engine.seconds, seconds) }),
    idle: await idleCost(world, controller),
    peakMiB: await peakMiB(controller),
  };
}

/** One build of many objects, compared with kubectl alone: its build is not part of the time. */
async function largeBesideBare(place: Place, controller: ControllerProcess): Promise<Record<string, unknown>> {
  const { kube, namespace } = place;
  const objects = [kustomization(namespace, LARGE_BUILD)];
  const engine = await engineRound({ kube, type: kustomizationResource, namespace, objects }, controller);
  const build = await buildOf(place, LARGE_BUILD);
  const bareSeconds = await secondsOf(() => applyBare(place, build));
  return { objects: LARGE, engine, bareSeconds, ratioTimeToBare: ratio(engine.seconds, bareSeconds) };
}

/** Measures in namespaces of its own, by a controller of its own. */
async function measure(place: Place): Promise<Record<string, unknown>> {
  const { world, kube, namespace } = place;
  await createNamespaces(kube, namespace, `${namespace}-bare`);
  return withController(world, engineFlags({ namespace, concurrency: CONCURRENCY }), async (controller) => ({
    ...(await measureFleet(place, controller)),
    large: await largeBesideBare(place, controller),
  }));
}

/** Builds of one source with ten objects each, by the engine, by a loop of kustomize and kubectl, and by Flux. */
export const kustomizationBench: Bench = ({ full }) =>
  withCrds(async ({ world, kube }) => {
    const fleet = await serveFleet(world);
    const cases: Record<string, unknown>[] = [];
    for (const kustomizations of full ? [100, MOST] : [100]) {
      const namespace = `bench-${kustomizations}`;
      cases.push(await measure({ world, kube, fleet, namespace, kustomizations, withFlux: full }));
    }
    await fleet.close();
    return { cases };
  });
