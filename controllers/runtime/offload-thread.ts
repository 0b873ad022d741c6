import { parentPort } from 'node:worker_threads';
import type { Order, Report, Task } from './offload.js';

/** What a thread of the pool runs: one order after the other. */
async function answer({ module, name, input }: Order): Promise<Report> {
  try {
    // The pool sends addresses of modules of ours, which export the task by this name.
    const tasks = (await import(module)) as Readonly<Record<string, Task>>;
    const task = tasks[name];
    if (task === undefined) throw new TypeError(`${module} exports no task ${name}`);
    const begun: Report = { begun: true };
    parentPort?.postMessage(begun);
    return { output: await task.run(input) };
  } catch (error: unknown) {
    if (!(error instanceof Error)) return { thrown: String(error) };
    const { code } = error as NodeJS.ErrnoException;
    return { thrown: error.stack ?? error.message, ...(code === undefined ? {} : { code }) };
  }
}

parentPort?.on('message', (order: Order) => void answer(order).then((report) => parentPort?.postMessage(report)));
