import { readdir, readFile } from 'node:fs/promises';
import { type ControllerProcess, startController } from '#sandbox/controller-process.js';
import { eventually } from './scenarios/eventually.js';
import type { World } from '#sandbox/world.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Condition, KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { isTrue } from '#lib/kube/conditions.js';
import { ratio } from './figures.js';
import { forEachOf, secondsOf } from './harness.js';
import { APPLY } from './objects.js';
import { auditEntries, auditPosition } from './scenarios/audit.js';

/** A controller that is asked while it starts, or is killed, may never answer. */
const ANSWER_MS = 10_000;

async function ask(controller: ControllerProcess, page: string): Promise<Response> {
  const [, port] = /"health":\{"address":"[^"]*","family":"[^"]*","port":(\d+)\}/.exec(await controller.log()) ?? [];
  return fetch(`http://127.0.0.1:${port ?? ''}${page}`, { signal: AbortSignal.timeout(ANSWER_MS) });
}

/** Waits until the caches of a controller are filled. */
export async function untilRunning(controller: ControllerProcess): Promise<void> {
  await eventually(
    async () => {
      const answer = await ask(controller, '/readyz');
      if (!answer.ok) throw new Error(`the controller is not ready: ${await answer.text()}`);
    },
    { timeoutMs: 60_000 },
  );
}

/** The metrics of a controller, in the text form of Prometheus. */
export async function metricsOf(controller: ControllerProcess): Promise<string> {
  return (await ask(controller, '/metrics')).text();
}

/**
 * How many requests of each sort a process has sent to API servers so far, from its metrics, e.g.
 * `apply HelmRelease 201`.
 */
export async function requestsOf(controller: ControllerProcess): Promise<ReadonlyMap<string, number>> {
  const text = await metricsOf(controller);
  const line = /^rest_client_requests_total\{verb="(\w+)",kind="(\w+)",code="(\d+)"\} (\d+)/gm;
  return new Map(
    [...text.matchAll(line)].map(([, verb, kind, code, count]) => [
      `${verb ?? ''} ${kind ?? ''} ${code ?? ''}`,
      Number(count),
    ]),
  );
}

/** Counts the requests between two looks by kind, the most frequent first, and all of them. */
export function requestsBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): { total: number; bySort: Record<string, number> } {
  const more = [...after].map(([sort, count]) => [sort, count - (before.get(sort) ?? 0)] as const);
  const some = more.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  return { total: some.reduce((sum, [, count]) => sum + count, 0), bySort: Object.fromEntries(some) };
}

/** How many reconciliations a controller of the process has made so far, whatever came of them. */
export async function passesOf(controller: ControllerProcess, name: string): Promise<number> {
  const line = /^controller_runtime_reconcile_total\{controller="([^"]+)",result="\w+"\} (\d+)/gm;
  const counts = [...(await metricsOf(controller)).matchAll(line)].filter(([, found]) => found === name);
  return counts.reduce((sum, [, , count]) => sum + Number(count), 0);
}

/** CPU seconds that the process has taken so far, in all of its threads. */
export async function cpuSecondsOf(controller: ControllerProcess): Promise<number> {
  const [, seconds] = /^process_cpu_seconds_total (\S+)/m.exec(await metricsOf(controller)) ?? [];
  return Number(seconds);
}

/** The peak memory of the process, if the kernel reports it. */
export async function peakMiB(controller: ControllerProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${controller.pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return kib === undefined ? undefined : Math.round(Number(kib) / 1_024);
}

/** The flags of the embedded engine that reconciles one namespace, so many objects of a kind at once. */
export function engineFlags({ namespace, concurrency }: { namespace: string; concurrency: number }): string[] {
  return ['--concurrent', `${concurrency}`, '--namespace', namespace];
}

/** Flux is at work elsewhere: the Application controller alone is measured. */
export const EXTERNAL_ENGINE = ['--engine', 'external'];

/** Starts a controller on the host of a world. */
export function startOn({ host, tools, dir }: World, flags: readonly string[]): Promise<ControllerProcess> {
  const { helm, kustomize } = tools;
  return startController({ kubeconfig: host.kubeconfig, helm, kustomize, dir, flags });
}

/** Runs a controller for as long as `measure` takes. */
export async function withController<T>(
  world: World,
  flags: readonly string[],
  measure: (controller: ControllerProcess) => Promise<T>,
): Promise<T> {
  const controller = await startOn(world, flags);
  try {
    await untilRunning(controller);
    return await measure(controller);
  } finally {
    await controller.stop();
  }
}

const IDLE_MS = 30_000;
const READY_LIMIT_MS = 1_800_000;
/** Writes of the bench itself at the same time. */
const WRITERS = 16;

interface Conditioned extends KubeObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

/** Objects that the engine reconciles, all of one kind in one namespace. */
export interface Subjects {
  readonly kube: Kube;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
}

export interface Round {
  readonly seconds: number;
  readonly requestsEach: number;
  readonly requests: Record<string, number>;
}

function isReady({ metadata, status }: Conditioned): boolean {
  return status?.observedGeneration === metadata.generation && isTrue(status?.conditions, 'Ready');
}

/** Listens instead of looking again and again, which would take time from what is measured. */
async function untilAllReady({ kube, type, namespace, objects }: Subjects, resourceVersion: string): Promise<void> {
  const awaited = new Set(objects.map(({ metadata }) => metadata.name));
  const timeoutSeconds = READY_LIMIT_MS / 1_000;
  const query = { namespace, resourceVersion, timeoutSeconds, signal: AbortSignal.timeout(READY_LIMIT_MS) };
  const names = new Set(awaited);
  for await (const event of kube.watch<Conditioned>(type, query)) {
    if (event.type === 'ERROR') throw new Error(event.message);
    if (event.type === 'BOOKMARK') continue;
    const { name } = event.object.metadata;
    if (isReady(event.object)) awaited.delete(name);
    else if (names.has(name)) awaited.add(name);
    if (awaited.size === 0) return;
  }
  throw new Error(`the watch ended; ${awaited.size} objects of kind ${type.kind} are not Ready`);
}

/** Seconds from the first apply to the last object that is Ready, whoever reconciles them. */
export async function secondsUntilReady(subjects: Subjects): Promise<number> {
  const { kube, type, namespace, objects } = subjects;
  const { resourceVersion } = await kube.list(type, { namespace, limit: 1 });
  return secondsOf(async () => {
    const allReady = untilAllReady(subjects, resourceVersion);
    await forEachOf(objects, (object) => kube.apply(type, object, APPLY), WRITERS);
    await allReady;
  });
}

/** A round of our engine, and its requests. */
export async function engineRound(subjects: Subjects, controller: ControllerProcess): Promise<Round> {
  const before = await requestsOf(controller);
  const seconds = await secondsUntilReady(subjects);
  const { total, bySort } = requestsBetween(before, await requestsOf(controller));
  return { seconds, requestsEach: ratio(total, subjects.objects.length), requests: bySort };
}

async function children(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  );
  return lists.join(' ').split(' ').filter(Boolean).length;
}

/** Most processes at any look, and writes, of a time in which nothing changes. */
export async function idleCost(world: World, controller: ControllerProcess): Promise<Record<string, number>> {
  await delay(5_000); // What the last round left under way.
  const since = await auditPosition(world.host);
  let processes = 0;
  const until = performance.now() + IDLE_MS;
  while (performance.now() < until) {
    processes = Math.max(processes, await children(controller.pid));
    await delay(250);
  }
  const writes = (await auditEntries(world.host, since)).filter(({ userAgent }) => userAgent === 'fairlead');
  return { processes, writes: writes.length };
}
