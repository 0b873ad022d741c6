import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../command.js';
import { type BuildPackage, type BuildWork, isPackageLine, packageCost } from './build-progress.js';
import { fillCache, type Filling, type FillOptions, recordCompiler } from './cache-fill.js';
import { cacheKey, type ToolModule } from './cache.js';
import { linkerFlags, type ToolName, TOOLS } from './table.js';

export interface BuildOptions extends FillOptions {
  /** Environment of the compiler. */
  env: NodeJS.ProcessEnv;
  /** The import path of each package that is compiled. */
  onPackage?: (importPath: string) => void;
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
 * The environment of go. Its processes collect garbage less often, which saves a sixth of their CPU time and costs each
 * up to 220 MB of memory; a GOGC of the user stays.
 */
function goEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { GOGC: '400', ...env, CGO_ENABLED: '0' };
}

/** The environment of `go build`. An interrupted go leaves files in `work`, which are swept with it. */
export function goBuildEnvironment(env: NodeJS.ProcessEnv, work: string): NodeJS.ProcessEnv {
  return { ...goEnvironment(env), GOTMPDIR: work };
}

/** One package of `go list`, which lists the packages that it imports before. */
interface Listed {
  readonly stale: boolean;
  readonly importPath: string;
  readonly folder: string;
  readonly imports: readonly string[];
  readonly files: readonly string[];
  /** Number of packages that it imports, directly or not. */
  readonly dependencies: number;
}

const LIST_FORMAT = [
  '{{.Stale}}',
  '{{.ImportPath}}',
  '{{.Dir}}',
  '{{join .Imports ","}}',
  '{{join .GoFiles ","}}',
  '{{len .Deps}}',
].join('\t');

/** One line of that format. */
function listed(line: string): Listed {
  const [stale, importPath = '', folder = '', imports = '', files = '', dependencies] = line.split('\t');
  const partsOf = (text: string): string[] => text.split(',').filter((part) => part !== '');
  return {
    ...{ stale: stale === 'true', importPath, folder },
    ...{ imports: partsOf(imports), files: partsOf(files), dependencies: Number(dependencies) },
  };
}

/** It is for an estimate, so it never throws. */
async function costOf({ folder, files, dependencies }: Listed): Promise<number> {
  const sizeOf = (file: string): Promise<number> =>
    stat(path.join(folder, file)).then(
      ({ size }) => size,
      () => 0,
    );
  const sizes = await Promise.all(files.map(sizeOf));
  return packageCost(
    sizes.reduce((sum, size) => sum + size, 0),
    dependencies,
  );
}

/** The identity of each package, by its import path: its folder, which names the version, and those of its imports. */
function identities(packages: readonly Listed[]): Map<string, string> {
  const known = new Map<string, string>();
  for (const { importPath, folder, imports } of packages) {
    known.set(importPath, cacheKey(folder, ...imports.map((each) => `,${known.get(each) ?? each}`)));
  }
  return known;
}

/**
 * What has to be compiled for tools of a module: what the compiler has in its cache does not count. Fetches the Go
 * modules. Throws CommandError with go's own words.
 */
export async function workOf(
  module: ToolModule,
  tools: readonly ToolName[],
  { env, signal }: Pick<BuildOptions, 'env' | 'signal'>,
): Promise<BuildWork> {
  const args = ['list', '-deps', ...COMPILER_FLAGS, '-f', LIST_FORMAT, ...tools.map((tool) => TOOLS[tool].package)];
  const output = await runCommand('go', args, { cwd: module.source, env: goEnvironment(env), signal });
  const packages = output.split('\n').filter((line) => line !== '').map(listed);
  const identity = identities(packages);
  const stale = packages.filter((each) => each.stale);
  const entries = stale.map(async (each): Promise<[string, BuildPackage]> => {
    const { importPath } = each;
    return [importPath, { cost: await costOf(each), identity: identity.get(importPath) ?? importPath }];
  });
  return { packages: new Map(await Promise.all(entries)), programs: tools.length };
}

async function compile(module: ToolModule, filling: Filling, options: BuildOptions): Promise<void> {
  const { missing, temporary } = filling;
  const [binaries, work] = [path.join(temporary, 'bin'), path.join(temporary, 'work')];
  await mkdir(work);
  await runCommand('go', goBuildArguments(module, missing, binaries), {
    cwd: module.source,
    env: goBuildEnvironment(options.env, work),
    signal: options.signal,
    onStart: (pid) => void recordCompiler(temporary, pid),
    isProgress: (line) => {
      if (!isPackageLine(line)) return false;
      options.onPackage?.(line);
      return true;
    },
  });
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
