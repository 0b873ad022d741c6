import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Condition, KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { isTrue } from '#lib/kube/conditions.js';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { requestsBetween, requestsOf } from './controller-figures.js';
import { ratio } from './figures.js';
import { auditEntries, auditPosition } from './scenarios/audit.js';

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

/** Runs something for each number below `count`. */
export async function forEach(
  count: number,
  parallel: number,
  run: (index: number) => Promise<unknown>,
): Promise<void> {
  const limit = pLimit(parallel);
  await Promise.all(Array.from({ length: count }, (_, index) => limit(() => run(index))));
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
  const startedAt = performance.now();
  const allReady = untilAllReady(subjects, resourceVersion);
  const limit = pLimit(WRITERS);
  await Promise.all(
    objects.map((object) => limit(() => kube.apply(type, object, { fieldManager: 'bench', force: true }))),
  );
  await allReady;
  return (performance.now() - startedAt) / 1_000;
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
