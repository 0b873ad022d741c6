import { BuildProgress, withoutKnown, type BuildWork } from './tools/build-progress.js';
import { cachedPath, missingTools, readModule, toolCacheFolder, type ToolModule } from './tools/cache.js';
import type { FillOptions } from './tools/cache-fill.js';
import { DownloadError, downloadTools } from './tools/download.js';
import { buildTools, workOf } from './tools/go-build.js';
import { fromKubebuilderAssets, fromPath, type Installed } from './tools/installed.js';
import { platformOf } from './tools/releases.js';
import { MODULE_NAMES, TOOLS, type ModuleName, type ToolName, type WorldTool } from './tools/table.js';

export { WORLD_TOOLS, type ToolName } from './tools/table.js';

/** Absolute path of the binary of each tool that a sandbox runs on. */
export type Tools = Readonly<Record<WorldTool, string>>;

export interface ToolOptions {
  /**
   * Fetch all released programs, compile only the others, and fail if a release cannot be fetched. True: from their
   * projects; a URL: from a mirror that serves `HOST/PATH` of every address below it. Default: compile what cannot be
   * fetched.
   */
  download?: true | string | undefined;
  /** Compile all programs; fetch only Go modules, by `go build`. */
  compile?: true | undefined;
  signal?: AbortSignal | undefined;
}

export interface EnsureToolsOptions extends ToolOptions {
  /** Every line, also those that only show that time passes. */
  onProgress?: (line: string) => void;
  /** The lines worth keeping: which provider was chosen, what was built. */
  log?: (line: string) => void;
  /** Default: this process's environment. */
  env?: NodeJS.ProcessEnv;
  /** URL of a mirror to use if `download` names none. Default: the hosts of the releases themselves. */
  mirror?: string | undefined;
}

/** How to get programs that are not on this machine. */
export type ToolChoice = Pick<ToolOptions, 'download' | 'compile'>;

interface Search extends FillOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (line: string) => void;
  readonly cacheFolder: string;
  readonly download: true | string | undefined;
  readonly compile: true | undefined;
  readonly mirror: string | undefined;
  /** Hosts of releases that could not be reached; tools of several modules share hosts. */
  readonly unreachable: Set<string>;
}

const PROGRESS_EVERY_MS = 2_000;

/** None of the ways to a tool worked; the message names all of them. */
export class ToolUnavailableError extends Error {
  constructor(tools: readonly ToolName[], cacheFolder: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    super(
      [
        `cannot provide ${tools.join(', ')}. Any one of these is enough:`,
        '  - let this machine reach dl.k8s.io, get.helm.sh and github.com, which have the released programs (Linux), or repeat the command with --download URL for a mirror of them',
        '  - install Go 1.26 or newer (https://go.dev/dl): all tools are then built once from tools/',
        '  - set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl (setup-envtest makes one); the other tools still need Go',
        '  - put helm 4, kustomize 5 and kubectl 1.34 to 1.36 on PATH; the control plane still needs one of the ways above',
        `  - copy the folder ${cacheFolder} from a machine of the same kind that has built them`,
        'Docker is not supported for this yet.',
        `The build failed: ${why}`,
      ].join('\n'),
      { cause },
    );
    this.name = 'ToolUnavailableError';
  }
}

/** The tool where it is already, without any work. */
async function find(
  tool: ToolName,
  module: ToolModule,
  search: Pick<Search, 'env' | 'cacheFolder' | 'log'>,
): Promise<Installed | undefined> {
  const fromAssets = await fromKubebuilderAssets(tool, search);
  if (fromAssets !== undefined) return fromAssets;
  if ((await missingTools(module, [tool])).length === 0) return { path: cachedPath(module, tool), from: 'cache' };
  return fromPath(tool, search);
}

/** Fetches the tools that are released for this platform. Without `--download`, a failed download is only logged. */
async function download(module: ToolModule, tools: readonly ToolName[], search: Search): Promise<void> {
  const { download: wanted, compile, signal } = search;
  const platform = platformOf(process.platform, process.arch);
  if (compile === true || platform === undefined) return;
  if (wanted !== undefined) {
    const mirror = wanted === true ? search.mirror : wanted;
    await downloadTools(module, tools, { ...search, platform, mirror });
    return;
  }
  try {
    await downloadTools(module, tools, { ...search, platform, isTrial: true });
  } catch (error: unknown) {
    signal?.throwIfAborted();
    if (!(error instanceof DownloadError)) throw error;
    search.log(`${error.problem}: go compiles what is missing`);
  }
}

/** The wanted tools of one module, and where those are that were found. */
interface Looked {
  readonly module: ToolModule;
  readonly tools: readonly ToolName[];
  readonly found: ReadonlyMap<ToolName, string>;
}

async function look(name: ModuleName, wanted: readonly ToolName[], search: Search): Promise<Looked> {
  const tools = wanted.filter((tool) => TOOLS[tool].module === name);
  const module = await readModule(name, search.cacheFolder);
  const found = new Map<ToolName, string>();
  for (const tool of tools) {
    const installed = await find(tool, module, search);
    if (installed === undefined) continue;
    found.set(tool, installed.path);
    if (installed.from !== 'cache') search.log(`${tool}: ${installed.path} (${installed.from})`);
  }
  return { module, tools, found };
}

/** Tools of one module that must be compiled. */
interface Missing {
  readonly module: ToolModule;
  readonly tools: readonly ToolName[];
}

/** Fetches what was not found, and returns what could not be fetched. */
async function fetched({ module, tools, found }: Looked, search: Search): Promise<Missing> {
  const wanted = tools.filter((tool) => !found.has(tool));
  if (wanted.length > 0) await download(module, wanted, search);
  return { module, tools: await missingTools(module, wanted) };
}

async function orUnavailable<T>({ tools }: Missing, search: Search, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error: unknown) {
    if (search.signal?.aborted === true) throw error;
    throw new ToolUnavailableError(tools, search.cacheFolder, error);
  }
}

/** Compiles, module by module, with one progress for all. */
async function compileAll(all: readonly Missing[], search: Search): Promise<void> {
  const beganMs = performance.now();
  let progress: BuildProgress | undefined;
  const sayWhere = (): void => {
    const nowMs = performance.now();
    const reading = `fetching and reading Go modules, ${Math.round((nowMs - beganMs) / 1_000)} s`;
    search.onProgress(progress?.line(nowMs) ?? reading);
  };
  const ticker = setInterval(sayWhere, PROGRESS_EVERY_MS);
  try {
    const works: [Missing, BuildWork][] = [];
    const known = new Set<string>();
    for (const each of all) {
      const work = await orUnavailable(each, search, workOf(each.module, each.tools, search));
      works.push([each, withoutKnown(work, known)]);
    }
    progress = new BuildProgress(
      works.map(([, work]) => work),
      performance.now(),
    );
    for (const [each, work] of works) {
      const onPackage = (importPath: string): void => progress?.compiled(work, importPath);
      await orUnavailable(each, search, buildTools(each.module, each.tools, { ...search, onPackage }));
      progress.built(work);
    }
  } finally {
    clearInterval(ticker);
  }
}

/** Path of a tool that is there already, in the cache or on PATH: nothing is built or fetched. */
export async function findTool(name: ToolName, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const cacheFolder = toolCacheFolder(env);
  const quiet = { onProgress: () => undefined, log: () => undefined };
  const module = await readModule(TOOLS[name].module, cacheFolder);
  return (await find(name, module, { env, cacheFolder, ...quiet }))?.path;
}

/**
 * Paths of the named tools, from the first provider that has them: KUBEBUILDER_ASSETS, the cache, PATH (helm,
 * kustomize and kubectl of a fitting version), their releases, `go build`. Only what is named is fetched or built, once
 * per machine. Throws ToolUnavailableError, DownloadError, or the reason of `signal`.
 */
export async function ensureTools<Name extends ToolName>(
  names: readonly Name[],
  options: EnsureToolsOptions = {},
): Promise<Record<Name, string>> {
  const env = options.env ?? process.env;
  const onProgress = options.onProgress ?? (() => undefined);
  const log = (line: string): void => {
    options.log?.(line);
    onProgress(line);
  };
  const { signal, download: wanted, compile, mirror } = options;
  const search: Search = {
    ...{ env, cacheFolder: toolCacheFolder(env), signal, onProgress, log },
    ...{ download: wanted, compile, mirror, unreachable: new Set() },
  };
  const looked: Looked[] = [];
  for (const module of MODULE_NAMES) {
    if (names.some((tool) => TOOLS[tool].module === module)) looked.push(await look(module, names, search));
  }
  const missing: Missing[] = [];
  for (const each of looked) missing.push(await fetched(each, search));
  await compileAll(
    missing.filter(({ tools }) => tools.length > 0),
    search,
  );
  const paths = looked.flatMap(({ module, tools, found }) =>
    tools.map((tool) => [tool, found.get(tool) ?? cachedPath(module, tool)]),
  );
  // Every name of `names` belongs to one of the modules, so each has its path by now.
  return Object.fromEntries(paths) as Record<Name, string>;
}
