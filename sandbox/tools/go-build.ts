import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../command.js';
import { isPackageLine, progressLine } from './build-progress.js';
import { fillCache, type Filling, type FillOptions } from './cache-fill.js';
import type { ToolModule } from './cache.js';
import { recordCompiler } from './compiler.js';
import { linkerFlags, TOOLS, type ToolName } from './table.js';

const PROGRESS_EVERY_MS = 2_000;

export interface BuildOptions extends FillOptions {
  /** Environment of the compiler. */
  env: NodeJS.ProcessEnv;
  /** How far it is, every few seconds. */
  onProgress: (line: string) => void;
}

/** Debug information is left out where it would be made, because the linker drops it anyway. */
const COMPILER_FLAGS = ['-trimpath', '-gcflags=all=-dwarf=false'];

/** The arguments of the one `go build` that makes several binaries of a module. */
export function goBuildArguments(module: ToolModule, tools: readonly ToolName[], outputFolder: string): string[] {
  const linking = tools.flatMap((tool) => ['-ldflags', `${TOOLS[tool].package}=${linkerFlags(tool, module.goMod)}`]);
  const packages = tools.map((tool) => TOOLS[tool].package);
  const flags = ['-v', ...COMPILER_FLAGS, ...linking];
  return ['build', ...flags, '-o', `${outputFolder}${path.sep}`, ...packages];
}

/**
 * The environment of `go build`. Its processes collect garbage less often, which saves a sixth of their CPU time and
 * costs each up to 220 MB of memory; a GOGC of the user stays. What an interrupted go leaves in `work` is swept with it.
 */
export function goBuildEnvironment(env: NodeJS.ProcessEnv, work: string): NodeJS.ProcessEnv {
  return { GOGC: '400', ...env, CGO_ENABLED: '0', GOTMPDIR: work };
}

/** Number of packages to compile: what the compiler has in its cache does not count. */
export async function packagesToCompile(
  module: ToolModule,
  tools: readonly ToolName[],
  options: BuildOptions,
): Promise<number> {
  const ifMissing = '{{if .Stale}}{{.ImportPath}}{{end}}';
  const args = ['list', '-deps', ...COMPILER_FLAGS, '-f', ifMissing, ...tools.map((tool) => TOOLS[tool].package)];
  const env = { ...options.env, CGO_ENABLED: '0' };
  return (await runCommand('go', args, { cwd: module.source, env, signal: options.signal })).trimEnd().split('\n').length;
}

async function compile(module: ToolModule, filling: Filling, options: BuildOptions): Promise<void> {
  const { missing, temporary } = filling;
  const [binaries, work] = [path.join(temporary, 'bin'), path.join(temporary, 'work')];
  await mkdir(work);
  let [done, total, since] = [0, 0, Date.now()];
  const report = (): void => options.onProgress(progressLine({ done, total, elapsedMs: Date.now() - since }));
  const ticker = setInterval(report, PROGRESS_EVERY_MS);
  try {
    total = await packagesToCompile(module, missing, options);
    since = Date.now();
    await runCommand('go', goBuildArguments(module, missing, binaries), {
      cwd: module.source,
      env: goBuildEnvironment(options.env, work),
      signal: options.signal,
      onStart: (pid) => void recordCompiler(temporary, pid),
      isProgress: (line) => {
        if (!isPackageLine(line)) return false;
        done += 1;
        return true;
      },
    });
  } finally {
    clearInterval(ticker);
  }
  for (const tool of missing) await filling.keep(tool, path.join(binaries, TOOLS[tool].builtAs ?? tool));
}

/** Builds those of the tools that are not in the cache. Throws CommandError with go's own words. */
export async function buildTools(
  module: ToolModule,
  tools: readonly ToolName[],
  options: BuildOptions,
): Promise<void> {
  await fillCache(module, tools, options, async (filling) => {
    const startedAt = Date.now();
    const names = filling.missing.join(', ');
    options.log(`building ${names} with go, once; kept in ${path.dirname(module.folder)}`);
    await compile(module, filling, options);
    options.log(`built ${names} in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  });
}
