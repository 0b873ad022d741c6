import { readFile } from 'node:fs/promises';
import type { ControllerProcess } from '../sandbox/stage/controller-process.js';

/** All requests of a process to API servers so far, from its metrics. */
export async function requestsOf(controller: ControllerProcess): Promise<number> {
  const [, port] = /"health":\{"address":"[^"]*","family":"[^"]*","port":(\d+)\}/.exec(await controller.log()) ?? [];
  const text = await (await fetch(`http://127.0.0.1:${port ?? ''}/metrics`)).text();
  const counts = [...text.matchAll(/^rest_client_requests_total\{[^}]*\} (\d+)/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The most memory that the process ever had, where the kernel tells. */
export async function peakMiB(controller: ControllerProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${controller.pid}/status`, 'utf8').catch(() => '');
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
  return kib === undefined ? undefined : Math.round(Number(kib) / 1_024);
}
