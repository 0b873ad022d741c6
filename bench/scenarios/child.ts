import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';

/** A built scenario as a process of its own, which answers each message. It ends with this process. */
export class Child {
  readonly process: ChildProcess;

  constructor(name: string) {
    this.process = fork(path.join(PACKAGE_ROOT, 'dist', 'bench', 'scenarios', `${name}.js`));
  }

  /** Throws an Error if the other process says what went wrong. */
  async ask<T extends object>(order: object): Promise<T> {
    const answer = once(this.process, 'message') as Promise<[T | { problem: string }]>;
    this.process.send(order);
    const [report] = await answer;
    if ('problem' in report) throw new Error(report.problem);
    return report;
  }

  async end(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }
}

/** CPU seconds that a process has taken so far, and its memory: now, and at its peak. */
export async function costOf({
  pid = 0,
}: ChildProcess): Promise<{ cpuSeconds: number; rssMiB: number; peakMiB: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  // After the name, which may have blanks: state is the first field, utime the twelfth, in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const mib = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1_024);
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100, rssMiB: mib('VmRSS'), peakMiB: mib('VmHWM') };
}
