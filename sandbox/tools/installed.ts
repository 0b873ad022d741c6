import path from 'node:path';
import semver from 'semver';
import { runCommand } from '../command.js';
import { isExecutable } from './cache.js';
import type { ToolName } from './table.js';

/** A program that somebody else installed. */
export interface Installed {
  readonly path: string;
  /** Where it comes from, for people. */
  readonly from: string;
}

interface VersionRule {
  readonly args: readonly string[];
  /** What fits, as a semver range. */
  readonly range: string;
}

/** The tools that are taken from PATH, and which versions of them behave as the pinned one. */
const FROM_PATH: Readonly<Partial<Record<ToolName, VersionRule>>> = {
  helm: { args: ['version', '--short'], range: '4' },
  kustomize: { args: ['version'], range: '>=5.4.0 <6' },
  kubectl: { args: ['version', '--client'], range: '>=1.34.0 <1.37' },
};

const ENVTEST_TOOLS: readonly ToolName[] = ['kube-apiserver', 'etcd', 'kubectl'];

/** The first version in a tool's output; undefined when there is none. */
export function versionIn(output: string): string | undefined {
  return semver.coerce(/v?\d+\.\d+(\.\d+)?/.exec(output)?.[0])?.version;
}

/** True when a tool of that version may stand in for the pinned one. */
export function versionFits(tool: ToolName, version: string | undefined): boolean {
  const rule = FROM_PATH[tool];
  return rule !== undefined && version !== undefined && semver.satisfies(version, rule.range);
}

/** The tool in the folder that KUBEBUILDER_ASSETS names, if it is one of those that envtest ships. */
export async function fromKubebuilderAssets(tool: ToolName, env: NodeJS.ProcessEnv): Promise<Installed | undefined> {
  const folder = env['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '' || !ENVTEST_TOOLS.includes(tool)) return undefined;
  const file = path.resolve(folder, tool);
  return (await isExecutable(file)) ? { path: file, from: 'KUBEBUILDER_ASSETS' } : undefined;
}

async function findInPath(tool: ToolName, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const file = path.join(folder, tool);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** The tool on PATH when its version fits; every other outcome is undefined, said through `log` when there was one. */
export async function fromPath(
  tool: ToolName,
  env: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<Installed | undefined> {
  const rule = FROM_PATH[tool];
  const file = rule === undefined ? undefined : await findInPath(tool, env);
  if (rule === undefined || file === undefined) return undefined;
  const output = await runCommand(file, rule.args, { env }).catch(() => '');
  const version = versionIn(output);
  if (versionFits(tool, version)) return { path: file, from: `PATH, version ${version ?? ''}` };
  log(`${tool}: ${file} is ${version ?? 'of an unknown version'}, not ${rule.range}; not used`);
  return undefined;
}
