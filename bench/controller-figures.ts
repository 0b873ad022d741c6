import { readFile } from 'node:fs/promises';
import type { ControllerProcess } from '#sandbox/controller-process.js';
import { eventually } from './scenarios/eventually.js';

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

/** What came in between two looks, the most frequent first, and all of it. */
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
