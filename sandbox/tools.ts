import { cachedPath, isBuilt, readModule, toolCacheFolder, type ToolModule } from './tools/cache.js';
import { buildModule, type BuildOptions } from './tools/go-build.js';
import { fromKubebuilderAssets, fromPath, type Installed } from './tools/installed.js';
import { TOOL_NAMES, TOOLS, type ToolName, type WorldTool } from './tools/table.js';

export { WORLD_TOOLS, type ToolName } from './tools/table.js';

/** Absolute path of the binary of each tool that a sandbox runs on. */
export type Tools = Readonly<Record<WorldTool, string>>;

export interface EnsureToolsOptions {
  /** Every line, also those that only show that time passes. */
  onProgress?: (line: string) => void;
  /** The lines worth keeping: which provider was chosen, what was built. */
  log?: (line: string) => void;
  signal?: AbortSignal | undefined;
  /** Default: this process's environment. */
  env?: NodeJS.ProcessEnv;
}

interface Search extends BuildOptions {
  readonly cacheFolder: string;
}

/** None of the ways to a tool worked; the message names all of them. */
export class ToolUnavailableError extends Error {
  constructor(tool: ToolName, cacheFolder: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    super(
      [
        `cannot provide ${tool}. Any one of these is enough:`,
        '  - install Go 1.26 or newer (https://go.dev/dl): all tools are then built once from tools/',
        '  - set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl (setup-envtest makes one); the other tools still need Go',
        '  - put helm 4, kustomize 5 and kubectl 1.35 on PATH; the control plane still needs one of the ways above',
        `  - copy the folder ${cacheFolder} from a machine of the same kind that has built them`,
        'Docker is not supported for this yet.',
        `The build failed: ${why}`,
      ].join('\n'),
      { cause },
    );
    this.name = 'ToolUnavailableError';
  }
}

async function cached(tool: ToolName, module: ToolModule): Promise<Installed | undefined> {
  return (await isBuilt(module)) ? { path: cachedPath(module, tool), from: 'cache' } : undefined;
}

async function built(tool: ToolName, module: ToolModule, search: Search): Promise<Installed> {
  try {
    await buildModule(module, search);
  } catch (error: unknown) {
    if (search.signal?.aborted === true) throw error;
    throw new ToolUnavailableError(tool, search.cacheFolder, error);
  }
  return { path: cachedPath(module, tool), from: 'go build' };
}

async function provide(tool: ToolName, search: Search): Promise<string> {
  const module = await readModule(TOOLS[tool].module, search.cacheFolder);
  const found =
    (await fromKubebuilderAssets(tool, search.env)) ??
    (await cached(tool, module)) ??
    (await fromPath(tool, search.env, search.log)) ??
    (await built(tool, module, search));
  if (found.from !== 'cache') search.log(`${tool}: ${found.path} (${found.from})`);
  return found.path;
}

/**
 * Paths of the named tools, from the first provider that has them: KUBEBUILDER_ASSETS, the cache, PATH (helm,
 * kustomize and kubectl of a fitting version), `go build`. Builds run one after the other and once per machine.
 * Throws ToolUnavailableError, or the reason of `signal`.
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
  const search: Search = { env, cacheFolder: toolCacheFolder(env), signal: options.signal, onProgress, log };
  const paths: Partial<Record<ToolName, string>> = {};
  const wanted: readonly ToolName[] = names;
  for (const tool of TOOL_NAMES.filter((name) => wanted.includes(name))) paths[tool] = await provide(tool, search);
  // Every name of `names` is in TOOL_NAMES, so each has its path by now.
  return paths as Record<Name, string>;
}
