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

export interface InstalledSearch {
  readonly env: NodeJS.ProcessEnv;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

interface VersionRule {
  readonly args: readonly string[];
  /** What fits, as a semver range. */
  readonly range: string;
}

/** Which versions behave as the pinned one; of the control plane, what Kubernetes allows next to each other. */
const RULES: Readonly<Partial<Record<ToolName, VersionRule>>> = {
  'kube-apiserver': { args: ['--version'], range: '>=1.35.0 <1.37' },
  'kube-controller-manager': { args: ['--version'], range: '>=1.34.0 <1.36' },
  'kube-scheduler': { args: ['--version'], range: '>=1.34.0 <1.36' },
  kubectl: { args: ['version', '--client'], range: '>=1.34.0 <1.37' },
  etcd: { args: ['--version'], range: '>=3.6.0 <4' },
  kwok: { args: ['--version'], range: '>=0.8.0 <0.9' },
  helm: { args: ['version', '--short'], range: '4' },
  kustomize: { args: ['version'], range: '>=5.4.0 <6' },
};

const ENVTEST_TOOLS: readonly ToolName[] = ['kube-apiserver', 'etcd', 'kubectl'];

/** The first version in a tool's output; undefined when there is none. */
export function versionIn(output: string): string | undefined {
  return semver.coerce(/v?\d+\.\d+(\.\d+)?/.exec(output)?.[0])?.version;
}

/** True when a tool of that version may stand in for the pinned one. */
export function versionFits(tool: ToolName, version: string | undefined): boolean {
  const rule = RULES[tool];
  return rule !== undefined && version !== undefined && semver.satisfies(version, rule.range);
}

/** The program when its version fits; otherwise undefined, and `log` says why. */
async function ifFitting(tool: ToolName, file: string, from: string, search: InstalledSearch): Promise<Installed | undefined> {
  const rule = RULES[tool];
  if (rule === undefined) return undefined;
  const output = await runCommand(file, rule.args, { env: search.env, signal: search.signal }).catch(() => '');
  search.signal?.throwIfAborted();
  const version = versionIn(output);
  if (versionFits(tool, version)) return { path: file, from: `${from}, version ${version ?? ''}` };
  search.log(`${tool}: ${file} is ${version ?? 'of an unknown version'}, not ${rule.range}; not used`);
  return undefined;
}

/** The tool in the folder that KUBEBUILDER_ASSETS names, if it is one of those that envtest ships and fits. */
export async function fromKubebuilderAssets(tool: ToolName, search: InstalledSearch): Promise<Installed | undefined> {
  const folder = search.env['KUBEBUILDER_ASSETS'];
  if (folder === undefined || folder === '' || !ENVTEST_TOOLS.includes(tool)) return undefined;
  const file = path.resolve(folder, tool);
  return (await isExecutable(file)) ? ifFitting(tool, file, 'KUBEBUILDER_ASSETS', search) : undefined;
}

async function findInPath(tool: ToolName, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const file = path.join(folder, tool);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** The tool on PATH if its version fits. */
export async function fromPath(tool: ToolName, search: InstalledSearch): Promise<Installed | undefined> {
  const file = RULES[tool] === undefined ? undefined : await findInPath(tool, search.env);
  return file === undefined ? undefined : ifFitting(tool, file, 'PATH', search);
}
