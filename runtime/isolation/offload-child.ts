import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Order, Report, Task } from './offload.js';

/** Bytes that the controller takes over: far more than what any task leaves of its input. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Characters of an error. */
const MOST_THROWN = 16_384;

/** Runs one order of the pool. */
async function answer({ module, name, input }: Omit<Order, 'parent'>): Promise<Report> {
  try {
    // The pool only sends addresses of our own modules, which export the task by this name.
    const tasks = (await import(module)) as Readonly<Record<string, Task>>;
    const task = tasks[name];
    if (task === undefined) throw new TypeError(`${module} exports no task ${name}`);
    send({ begun: true });
    const output = await task.run(input);
    if (Buffer.byteLength(output) <= MOST_BYTES) return { output };
    return { excess: `takes more than ${MOST_BYTES} bytes` };
  } catch (error: unknown) {
    if (!(error instanceof Error)) return { thrown: String(error).slice(0, MOST_THROWN) };
    const { code } = error as NodeJS.ErrnoException;
    const thrown = (error.stack ?? error.message).slice(0, MOST_THROWN);
    return { thrown, ...(code === undefined ? {} : { code }) };
  }
}

function send(report: Report): void {
  process.send?.(report);
}

/** If the pod runs out of memory, the kernel should kill this process, and not the controller. */
function offerItself(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Not every system has this file.
  }
}

/** Ends this process with its parent, even if a task blocks the event loop. The parent may be gone already. */
function endWithParent(parent: number): void {
  const watch = `
    const parent = ${parent};
    setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGKILL'), 1_000);`;
  const options = { eval: true, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } };
  new Worker(watch, options).unref();
}

// Signals to the whole process group are for the parent, which ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
offerItself();
/** An order of an older version, as of a controller that is being replaced, names no parent. */
type AnyOrder = Omit<Order, 'parent'> & Partial<Pick<Order, 'parent'>>;
process.once('message', ({ parent = process.ppid }: AnyOrder) => endWithParent(parent));
process.on('message', ({ parent = process.ppid, ...order }: AnyOrder) => {
  // It was killed while this process started: nobody would end a task that takes for ever.
  if (process.ppid !== parent) process.exit();
  void answer(order).then(send);
});
