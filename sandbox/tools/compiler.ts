import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identify, signalProcess, waitUntilGone, type ProcessId } from '../process-id.js';

/** Names the running compiler, in the folder of its build. */
const COMPILER_FILE = 'compiler.json';

/** Notes which process compiles; a build that is over before that has nothing to note. */
export async function recordCompiler(temporary: string, pid: number): Promise<void> {
  const compiler = await identify(pid);
  if (compiler === undefined) return;
  await writeFile(path.join(temporary, COMPILER_FILE), JSON.stringify(compiler)).catch(() => undefined);
}

/** Ends a compiler that outlived its owner: it would recreate the folder while it is removed. */
export async function endCompiler(temporary: string): Promise<void> {
  const text = await readFile(path.join(temporary, COMPILER_FILE), 'utf8').catch(() => undefined);
  if (text === undefined || text === '') return;
  // Written by recordCompiler.
  const compiler = JSON.parse(text) as ProcessId;
  await signalProcess(compiler, 'SIGKILL');
  await waitUntilGone([compiler]);
}
