import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identify, type ProcessId, signalProcess, waitUntilGone } from '../process-id.js';
import { withLock } from './build-lock.js';
import { cachedPath, missingTools, type ToolModule } from './cache.js';
import type { ToolName } from './table.js';

/** Names the running compiler, in the folder of its build. */
const COMPILER_FILE = 'compiler.json';

/** Notes which process compiles; a build that is over before that has nothing to note. */
export async function recordCompiler(temporary: string, pid: number): Promise<void> {
  const compiler = await identify(pid);
  if (compiler === undefined) return;
  await writeFile(path.join(temporary, COMPILER_FILE), JSON.stringify(compiler)).catch(() => undefined);
}

/** Ends a compiler that outlived its owner: it would recreate the folder while it is removed. */
async function endCompiler(temporary: string): Promise<void> {
  const text = await readFile(path.join(temporary, COMPILER_FILE), 'utf8').catch(() => undefined);
  if (text === undefined || text === '') return;
  // Written by recordCompiler.
  const compiler = JSON.parse(text) as ProcessId;
  await signalProcess(compiler, 'SIGKILL');
  await waitUntilGone([compiler]);
}

export interface FillOptions {
  signal?: AbortSignal | undefined;
  /** A line worth keeping. */
  log: (line: string) => void;
}

/** What makes or fetches tools. */
export interface Filling {
  /** Those that are not in the cache yet. */
  readonly missing: readonly ToolName[];
  /** Its own folder, which goes afterwards. */
  readonly temporary: string;
  /** Moves a finished binary of that folder into the cache. */
  readonly keep: (tool: ToolName, binary: string) => Promise<void>;
}

function temporaryPrefix(module: ToolModule): string {
  return `${module.folder}.tmp-${process.pid}-`;
}

/** Removes what dead processes left behind, whatever they made. */
async function sweep(cacheFolder: string): Promise<void> {
  for (const entry of await readdir(cacheFolder)) {
    const pid = Number(/\.tmp-(\d+)-/.exec(entry)?.[1]);
    if (Number.isNaN(pid) || (await identify(pid)) !== undefined) continue;
    await endCompiler(path.join(cacheFolder, entry));
    await rm(path.join(cacheFolder, entry), { recursive: true, force: true, maxRetries: 5 });
  }
}

async function keep(module: ToolModule, tool: ToolName, binary: string): Promise<void> {
  await chmod(binary, 0o755);
  await mkdir(module.folder, { recursive: true });
  await rename(binary, cachedPath(module, tool));
}

async function fill(
  module: ToolModule,
  missing: readonly ToolName[],
  work: (filling: Filling) => Promise<void>,
): Promise<void> {
  const temporary = await mkdtemp(temporaryPrefix(module));
  try {
    await work({ missing, temporary, keep: (tool, binary) => keep(module, tool, binary) });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Runs `work` for those of the tools that are not in the cache, in one process of this machine at a time. A binary is
 * in the cache whole or not at all.
 */
export async function fillCache(
  module: ToolModule,
  tools: readonly ToolName[],
  options: FillOptions,
  work: (filling: Filling) => Promise<void>,
): Promise<void> {
  await mkdir(path.dirname(module.folder), { recursive: true });
  const exclusively = async (): Promise<void> => {
    const missing = await missingTools(module, tools);
    if (missing.length === 0) return;
    await sweep(path.dirname(module.folder));
    await fill(module, missing, work);
  };
  const onWait = (owner: { pid: number }): void =>
    options.log(`${module.name}: waiting for process ${owner.pid}, which provides the same tools`);
  await withLock(`${module.folder}.lock`, exclusively, { signal: options.signal, onWait });
}
