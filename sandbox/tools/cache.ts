import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import type { ModuleName, ToolName } from './table.js';

const KEY_LENGTH = 12;

/**
 * Folder of all built tools, under the XDG cache folder. A relative XDG_CACHE_HOME is ignored, as the XDG spec says.
 */
export function toolCacheFolder(env: NodeJS.ProcessEnv, home: string = homedir()): string {
  const xdg = env['XDG_CACHE_HOME'];
  const base = xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(home, '.cache');
  return path.join(base, 'fairlead', 'tools');
}

/** 12 hex characters that change with any of the texts. */
export function cacheKey(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return hash.digest('hex').slice(0, KEY_LENGTH);
}

/** The texts of the Go files of our own in a module: most programs are only pinned, and others wrote them. */
async function ownSources(source: string): Promise<string[]> {
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.go')).sort();
  return Promise.all(files.map((file) => readFile(path.join(source, file), 'utf8')));
}

/** One Go module of tools/ and the folder where its binaries are kept, each from the time when it is first needed. */
export interface ToolModule {
  readonly name: ModuleName;
  readonly source: string;
  readonly goMod: string;
  readonly folder: string;
}

/** Reads the module's go.mod, go.sum and Go files. */
export async function readModule(name: ModuleName, cacheFolder: string): Promise<ToolModule> {
  const source = path.join(PACKAGE_ROOT, 'tools', name);
  const [goMod, goSum] = await Promise.all(
    ['go.mod', 'go.sum'].map((file) => readFile(path.join(source, file), 'utf8')),
  );
  if (goMod === undefined || goSum === undefined) throw new Error(`tools/${name} is not a Go module`);
  return { name, source, goMod, folder: path.join(cacheFolder, `${name}-${cacheKey(goMod, goSum, ...(await ownSources(source)))}`) };
}

/** True when the file exists and may be run. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where the binary of a tool is kept. */
export function cachedPath(module: ToolModule, tool: ToolName): string {
  return path.join(module.folder, tool);
}

/** Those of the tools that are not in the cache. */
export async function missingTools(module: ToolModule, tools: readonly ToolName[]): Promise<ToolName[]> {
  const found = await Promise.all(tools.map((tool) => isExecutable(cachedPath(module, tool))));
  return tools.filter((_tool, index) => found[index] === false);
}
