import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pLimit from 'p-limit';
import {
  configMapResource,
  crdResource,
  namespaceResource,
  secretResource,
  serviceAccountResource,
} from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { type Kustomization, kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, ResourceType, Unstructured } from '#api/meta.js';
import { type Kube, listAll, type ListPage } from '#runtime/client/kube.js';
import { isNotFound } from '#lib/errors.js';
import { type ControllerProcess, startController } from '#sandbox/controller-process.js';
import { startGitServer } from '#sandbox/git-server.js';
import { seedRepository } from '#sandbox/servers/git-repository.js';
import { freePort, type HttpServer, LOOPBACK } from '#sandbox/world/ports.js';
import type { Cluster, World } from '#sandbox/world.js';
import { giveKubeconfig } from '../support/kubeconfig-secret.js';
import { ITSELF, KILL_CASES, type KillCase, MEMBER, SOURCE, STATUS } from '../apiserver/kustomization/kill-cases.js';
import { erase } from '../support/erase.js';
import { conditionOf, expectReady, prepareCluster } from '../support/harness.js';
import { type FaultProxy, startFaultProxy } from '../support/proxy.js';
import { eventually, kubeFor, useWorld } from '../support/world.js';
import { WriteGate } from '../support/write-gate.js';

/** For all runs together, on a busy machine. */
const SOON = { timeoutMs: 300_000, intervalMs: 500 };
const RUN_NAME = /[a-z]+-n\d\d/;
const OWNER_NAMESPACE = 'kustomize.toolkit.fluxcd.io/namespace';

const PRIORITY_CLASS: ResourceType = {
  ...{ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass' },
  ...{ plural: 'priorityclasses', namespaced: false },
};
const SERVICE: ResourceType = { group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true };
const CLUSTER_WIDE = [namespaceResource, PRIORITY_CLASS, crdResource];
const KINDS = [...CLUSTER_WIDE, configMapResource, secretResource, serviceAccountResource, SERVICE];

/** One action whose process is killed before its `at`th write, from 1; 0: that is not disturbed. */
interface Run {
  readonly name: string;
  readonly about: KillCase;
  readonly at: number;
}

/** One object that a run left, without what differs between runs. */
interface Left {
  readonly subject: string;
  readonly uid: string | undefined;
  readonly content: string;
}

const RUNS: readonly Run[] = KILL_CASES.flatMap((about) =>
  ['none', ...about.writes].map((_, at) => ({ name: `${about.action}-n${String(at).padStart(2, '0')}`, about, at })),
);
const gate = new WriteGate(RUN_NAME);

let world: World;
let dir: string;
let host: Kube;
let member: Kube;
let namespace: string;
let git: HttpServer;
let controller: ControllerProcess;
const proxies: FaultProxy[] = [];

function each(runs: readonly Run[], work: (run: Run) => Promise<unknown>): Promise<unknown> {
  const limit = pLimit(16);
  return Promise.all(runs.map((run) => limit(() => work(run))));
}

/** A kubeconfig that leads to the cluster through the gate. */
async function gatedKubeconfig(cluster: Cluster): Promise<string> {
  const proxy = await startFaultProxy(cluster);
  proxies.push(proxy);
  proxy.http.inject(gate.fault);
  const file = path.join(dir, `${cluster.name}.kubeconfig`);
  const direct = await readFile(cluster.kubeconfig, 'utf8');
  // Plain HTTP is only taken from who wants no certificate.
  const insecure = direct.replace(/certificate-authority-data: .*/, 'insecure-skip-tls-verify: true');
  await writeFile(file, insecure.replace(cluster.server, proxy.server));
  return file;
}

async function serveSource(): Promise<void> {
  const folder = path.join(dir, 'source');
  for (const [name, content] of Object.entries(SOURCE)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await seedRepository(path.join(dir, 'git'), 'steps', folder);
  git = await startGitServer(path.join(dir, 'git'));
  const source: KubeObject & { spec: object } = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: { name: 'steps', namespace } },
    spec: { url: `${git.origin}/steps.git`, ref: { branch: 'main' }, interval: '10m' },
  };
  await host.create(gitRepositoryResource, source);
}

let start: () => Promise<ControllerProcess>;

beforeAll(async () => {
  world = await useWorld();
  const [first] = world.members;
  if (first === undefined) throw new Error('the world has no member');
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-kill-'));
  ({ kube: host, namespace } = await prepareCluster(world.host, 'kill'));
  member = await kubeFor(first);
  await giveKubeconfig(host, { name: MEMBER, namespace }, await gatedKubeconfig(first));
  await serveSource();
  const address = `${LOOPBACK}:${await freePort()}`;
  const kubeconfig = await gatedKubeconfig(world.host);
  start = () =>
    startController({
      ...{ kubeconfig, dir, helm: world.tools.helm, kustomize: world.tools.kustomize },
      flags: [
        ...['--namespace', namespace, '--concurrent', String(RUNS.length), '--insecure-kubeconfig-tls'],
        ...['--storage-addr', address, '--engine', 'embedded'],
      ],
    });
  controller = await start();
});

/** The objects of a list; none of a kind that nobody serves. */
async function found(kind: string, list: Promise<ListPage<Unstructured>>): Promise<Unstructured[]> {
  try {
    return (await list).items;
  } catch (error: unknown) {
    if (kind === 'Kite' && isNotFound(error)) return [];
    throw error;
  }
}

/** All that runs left on a cluster, by their names. */
async function leftOn(kube: Kube, cluster: string): Promise<Map<string, Left[]>> {
  const labelSelector = `${OWNER_NAMESPACE}=${namespace}`;
  const kites = RUNS.filter(({ about }) => cluster === 'host' && about.action === 'create').map(({ name }) => {
    const type = { version: 'v1', kind: 'Kite', plural: 'kites', namespaced: true };
    return { ...type, group: `${name}.example.com` };
  });
  const pages = [...KINDS, ...kites].map(async (type) => {
    const items = await found(type.kind, listAll<Unstructured>(kube, type, { labelSelector }));
    return items.map((object) => [type.kind, object] as const);
  });
  const left = new Map<string, Left[]>();
  for (const [kind, object] of (await Promise.all(pages)).flat()) {
    const { name, namespace: place = '', uid, labels } = object.metadata;
    const run = RUN_NAME.exec(`${place}/${name}`)?.[0] ?? '';
    const content = JSON.stringify({ labels, data: object['data'], type: object['type'] }).replaceAll(run, 'RUN');
    const subject = `${cluster} ${kind}/${name.replace(run, 'RUN')}`;
    left.set(run, [...(left.get(run) ?? []), { subject, uid, content }]);
  }
  return left;
}

async function allLeft(): Promise<Map<string, Left[]>> {
  const [onHost, onMember] = await Promise.all([leftOn(host, 'host'), leftOn(member, 'member')]);
  const all = RUNS.map(({ name }): [string, Left[]] => {
    return [name, [...(onHost.get(name) ?? []), ...(onMember.get(name) ?? [])]];
  });
  return new Map(all);
}

async function kustomizations(): Promise<Map<string, Kustomization>> {
  const { items } = await listAll<Kustomization>(host, kustomizationResource, { namespace });
  return new Map(items.map((item) => [item.metadata.name, item]));
}

async function specify({ name }: Run, spec: object): Promise<void> {
  const object: KubeObject & { spec: object } = {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata: { name, namespace } },
    spec: {
      ...{ interval: '10m', retryInterval: '2s', prune: true, sourceRef: { kind: 'GitRepository', name: 'steps' } },
      postBuild: { substitute: { run: name } },
      ...spec,
    },
  };
  await host.apply(kustomizationResource, object, { fieldManager: 'test', force: true });
}

async function ask(run: Run): Promise<void> {
  const { name, about, at } = run;
  const [after, write] = [about.writes[at - 2], about.writes[at - 1]];
  gate.arm(name, write === undefined ? undefined : { write, after });
  if (about.wish === 'delete') await host.delete(kustomizationResource, { name, namespace });
  else await specify(run, about.wish);
}

/** Waits until `check` passes, as long as the process lives. */
function soon(check: () => Promise<void>): Promise<void> {
  return Promise.race([controller.failure, eventually(check, SOON)]);
}

function expectFailed(object: Kustomization | undefined, reason: string): void {
  const { generation: observedGeneration } = object?.metadata ?? {};
  const ready = conditionOf(object ?? {}, 'Ready');
  expect(ready).toMatchObject({ status: 'False', reason, observedGeneration });
}

/** Throws unless these have come to rest, as they are wished, or as they are wished `then`. */
async function expectSettled(runs: readonly Run[], isThen = false): Promise<void> {
  const found = await kustomizations();
  for (const { name, about } of runs) {
    const object = found.get(name);
    const fails = isThen && about.then !== undefined ? undefined : about.fails;
    if (about.wish === 'delete') expect([name, object]).toEqual([name, undefined]);
    else if (fails !== undefined) expectFailed(object, fails);
    else expectReady(object ?? { apiVersion: '', kind: '', metadata: { name } });
  }
}

async function prepare(): Promise<void> {
  const prepared = RUNS.filter(({ about }) => about.before !== undefined);
  await each(prepared, async (run) => {
    await host.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: run.name } });
    await specify(run, run.about.before ?? {});
  });
  await soon(async () => {
    const found = await kustomizations();
    for (const { name } of prepared) expectReady(found.get(name) ?? { apiVersion: '', kind: '', metadata: { name } });
  });
}

/** Until every run is held where it is to be killed, and those that are not have come to rest. */
function untilHeld(): Promise<void> {
  return soon(async () => {
    const open = RUNS.filter(({ name, at }) => at > 0 && !gate.isHeld(name));
    expect(open.map(({ name }) => [name, ...gate.writesOf(name)])).toEqual([]);
    await expectSettled(RUNS.filter(({ at }) => at === 0));
  });
}

afterAll(async () => {
  await controller.stop();
  for (const type of [kustomizationResource, gitRepositoryResource]) await erase(host, type, namespace);
  const places = RUNS.flatMap(({ name }) => [name, `${name}-own`]);
  await Promise.all(places.map((name) => host.delete(namespaceResource, { name })));
  for (const kube of [host, member]) {
    for (const type of CLUSTER_WIDE) {
      const { items } = await listAll(kube, type, { labelSelector: `${OWNER_NAMESPACE}=${namespace}` });
      await Promise.all(items.map(({ metadata }) => kube.delete(type, metadata)));
    }
  }
  await Promise.all([...proxies, git, host, member].map((each) => each.close()));
  await rm(dir, { recursive: true, force: true });
});

function withoutUids(left: readonly Left[]): string[] {
  return left.map(({ subject, content }) => `${subject} ${content}`).sort();
}

/** Objects from before that another one has taken the place of. */
function replaced(before: readonly Left[], now: readonly Left[]): string[] {
  const uids = new Map(before.map(({ subject, uid }) => [subject, uid]));
  return now.flatMap(({ subject, uid }) => (uids.has(subject) && uids.get(subject) !== uid ? [subject] : []));
}

function entriesOf(name: string, object: Kustomization | undefined): string[] | undefined {
  return object?.status?.inventory?.entries.map(({ id }) => id.replaceAll(name, 'RUN'));
}

/** In their order, but for statuses: a slow machine may say more of them. */
function inOrder(writes: readonly string[]): string[] {
  return [...new Set(writes.filter((write) => write !== STATUS))];
}

/** True when what may come to exist is written to the inventory before anything else of it. */
function isWrittenAhead(writes: readonly string[]): boolean {
  const first = writes.findIndex((write) => write !== STATUS && write !== ITSELF);
  return writes.slice(0, Math.max(first, 0)).includes(STATUS);
}

test('a process that is killed (-9) before any of the writes of a Kustomization leaves nothing that the next one does not mend', async () => {
  await prepare();
  const before = await allLeft();
  await each(RUNS, ask);
  await untilHeld();
  const undisturbed = RUNS.filter(({ at }) => at === 0);
  const made = undisturbed.map(({ name, about }) => [about.action, inOrder(gate.writesOf(name))]);
  expect(made).toEqual(KILL_CASES.map(({ action, writes }) => [action, inOrder(writes)]));
  const ahead = undisturbed.filter(({ about }) => isWrittenAhead(about.writes));
  expect(ahead.filter(({ name }) => !isWrittenAhead(gate.writesOf(name)))).toEqual([]);
  await controller.kill();
  await each(
    RUNS.filter(({ about }) => about.then !== undefined),
    (run) => specify(run, run.about.then ?? {}),
  );
  gate.open();
  controller = await start();
  await soon(() => expectSettled(RUNS, true));
  // What is deleted by now may take the server a moment.
  await soon(async () => {
    const left = await allLeft();
    for (const { name, about } of RUNS) {
      const subjects = (left.get(name) ?? []).map(({ subject }) => subject).sort();
      expect([name, subjects]).toEqual([name, [...about.leaves].sort()]);
    }
  });
  const [left, found] = [await allLeft(), await kustomizations()];
  for (const { name, about } of RUNS) {
    const whole = `${about.action}-n00`;
    expect([name, withoutUids(left.get(name) ?? [])]).toEqual([name, withoutUids(left.get(whole) ?? [])]);
    expect([name, entriesOf(name, found.get(name))]).toEqual([name, entriesOf(whole, found.get(whole))]);
    const renewed = (about.renews ?? []).map((kind) => `host ${kind}/key`);
    expect([name, replaced(before.get(name) ?? [], left.get(name) ?? [])]).toEqual([name, renewed]);
  }
}, 900_000);
