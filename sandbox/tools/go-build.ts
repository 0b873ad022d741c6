import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../command.js';
import { identify, signalProcess, waitUntilGone, type ProcessId } from '../process-id.js';
import { withLock } from './build-lock.js';
import { isBuilt, type ToolModule } from './cache.js';
import { linkerFlags, TOOLS, toolsOf } from './table.js';

const PROGRESS_EVERY_MS = 5_000;

/** Names the running compiler, in the folder of its build. */
const COMPILER_FILE = 'compiler.json';

export interface BuildOptions {
  /** Environment of the compiler. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  /** The same line with a growing time, every few seconds. */
  onProgress: (line: string) => void;
  /** A line worth keeping. */
  log: (line: string) => void;
}

function temporaryPrefix(module: ToolModule): string {
  return `${module.folder}.tmp-${process.pid}-`;
}

/** Notes which process compiles; a build that is over before that has nothing to note. */
async function recordCompiler(temporary: string, pid: number): Promise<void> {
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

/** Removes what builds of dead processes left behind. */
async function sweep(module: ToolModule): Promise<void> {
  const parent = path.dirname(module.folder);
  const pattern = new RegExp(`^${path.basename(module.folder)}\\.tmp-(\\d+)-`);
  for (const entry of await readdir(parent)) {
    const pid = Number(pattern.exec(entry)?.[1]);
    if (Number.isNaN(pid) || (await identify(pid)) !== undefined) continue;
    await endCompiler(path.join(parent, entry));
    await rm(path.join(parent, entry), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The arguments of the one `go build` that makes all binaries of a module. */
export function goBuildArguments(module: ToolModule, outputFolder: string): string[] {
  const packages = toolsOf(module.name).map((tool) => TOOLS[tool].package);
  const flags = ['-trimpath', '-ldflags', linkerFlags(module.name, module.goMod)];
  return ['build', ...flags, '-o', `${outputFolder}${path.sep}`, ...packages];
}

async function publish(module: ToolModule, binaries: string): Promise<void> {
  for (const tool of toolsOf(module.name)) {
    const { builtAs } = TOOLS[tool];
    if (builtAs !== undefined) await rename(path.join(binaries, builtAs), path.join(binaries, tool));
  }
  try {
    await rename(binaries, module.folder);
  } catch (error: unknown) {
    if (!(await isBuilt(module))) throw error;
  }
}

async function compileInto(module: ToolModule, temporary: string, options: BuildOptions): Promise<void> {
  const [binaries, work] = [path.join(temporary, 'bin'), path.join(temporary, 'work')];
  await mkdir(work);
  // An interrupted go leaves its work behind; in here it is swept with the rest.
  const env = { ...options.env, CGO_ENABLED: '0', GOTMPDIR: work };
  const onStart = (pid: number): void => void recordCompiler(temporary, pid);
  const { signal } = options;
  await runCommand('go', goBuildArguments(module, binaries), { cwd: module.source, env, signal, onStart });
  await publish(module, binaries);
}

async function compile(module: ToolModule, options: BuildOptions): Promise<void> {
  const startedAt = Date.now();
  const elapsed = (): string => `${Math.round((Date.now() - startedAt) / 1_000)} s`;
  const names = toolsOf(module.name).join(', ');
  options.log(`${module.name}: building ${names} with go (once; kept in ${path.dirname(module.folder)})`);
  const ticker = setInterval(() => options.onProgress(`${module.name}: building, ${elapsed()}`), PROGRESS_EVERY_MS);
  const temporary = await mkdtemp(temporaryPrefix(module));
  try {
    await compileInto(module, temporary, options);
    options.log(`${module.name}: built in ${elapsed()}`);
  } finally {
    clearInterval(ticker);
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Builds the module unless it is built, also while another process does. Throws CommandError with go's own words. */
export async function buildModule(module: ToolModule, options: BuildOptions): Promise<void> {
  await mkdir(path.dirname(module.folder), { recursive: true });
  const work = async (): Promise<void> => {
    if (await isBuilt(module)) return;
    await sweep(module);
    await rm(module.folder, { recursive: true, force: true });
    await compile(module, options);
  };
  const onWait = (owner: { pid: number }): void =>
    options.log(`${module.name}: waiting for process ${owner.pid}, which builds it`);
  await withLock(`${module.folder}.lock`, work, { signal: options.signal, onWait });
}

