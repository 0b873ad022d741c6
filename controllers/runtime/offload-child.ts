import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Order, Report, Task } from './offload.js';

/** A child process of the pool, which runs one order after the other. */
async function answer({ module, name, input }: Order): Promise<Report> {
  try {
    // The pool sends addresses of modules of ours, which export the task by this name.
    const tasks = (await import(module)) as Readonly<Record<string, Task>>;
    const task = tasks[name];
    if (task === undefined) throw new TypeError(`${module} exports no task ${name}`);
    send({ begun: true });
    return { output: await task.run(input) };
  } catch (error: unknown) {
    if (!(error instanceof Error)) return { thrown: String(error) };
    const { code } = error as NodeJS.ErrnoException;
    return { thrown: error.stack ?? error.message, ...(code === undefined ? {} : { code }) };
  }
}

function send(report: Report): void {
  process.send?.(report);
}

/** If memory of the pod runs out, the kernel takes this process, and not the one that serves everybody. */
function offerItself(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // There are systems without it.
  }
}

/** Ends this process with its parent, also in the middle of a task that lets nothing else happen. */
function endWithParent(): void {
  process.on('disconnect', () => process.exit());
  const watch = `
    const parent = ${process.ppid};
    setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1_000);`;
  const options = { eval: true, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } };
  new Worker(watch, options).unref();
}

// A signal to all processes of a terminal or a service is for the parent, which ends this one when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
offerItself();
endWithParent();
process.on('message', (order: Order) => void answer(order).then(send));
