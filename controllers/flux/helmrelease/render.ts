import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Capabilities } from '../../engine/member/member.js';
import type { ArtifactStore } from '../../engine/artifact/types.js';
import type { Run } from '../../engine/process/types.js';
import { printJson } from '../../runtime/pure/lossless-json.js';
import { archivePrefix } from './chart-archive.js';
import { createLru } from './lru.js';
import { withText, type ChartTraits } from './model/chart-traits.js';
import { preamble, type AddedTemplate } from './model/preamble.js';

/** Everything that decides what a chart renders to. */
export interface RenderInput {
  /** Path and digest of the packaged chart. */
  readonly chartPath: string;
  readonly chartDigest: string;
  readonly traits: ChartTraits;
  readonly releaseName: string;
  readonly namespace: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly capabilities: Capabilities;
  readonly isUpgrade: boolean;
  /** The revision that is about to be made. */
  readonly revision: number;
  readonly skipSchemaValidation: boolean;
  readonly signal: AbortSignal;
}

/** What helm printed: the manifests with their source paths, or why it would not. */
export type RenderResult = { readonly output: string } | { readonly problem: string };

export type Render = (input: RenderInput) => Promise<RenderResult>;

export interface RenderDependencies {
  readonly run: Run;
  readonly helmPath: string;
  readonly scratch: ArtifactStore['scratch'];
}

const TIMEOUT_MS = 60_000;
const CACHED_RENDERS = 128;
/** Linux refuses a single argument of 128 KiB. */
const MAX_ARGUMENT_BYTES = 64 * 1024;
const MAX_PROBLEM_LENGTH = 2_000;

function cacheKey(input: RenderInput, valuesText: string): string {
  const { chartDigest, releaseName, namespace, capabilities, isUpgrade, skipSchemaValidation } = input;
  const revision = input.traits.usesRevision ? input.revision : undefined;
  const decisive = { chartDigest, releaseName, namespace, capabilities, isUpgrade, skipSchemaValidation, revision };
  return createHash('sha256')
    .update(JSON.stringify({ ...decisive, valuesText }))
    .digest('hex');
}

/** `--api-versions` takes a comma-separated list; a very long one is split over several flags. */
export function apiVersionFlags(apiVersions: readonly string[]): string[] {
  const flags: string[] = [];
  let current = '';
  for (const version of apiVersions) {
    if (current !== '' && current.length + version.length > MAX_ARGUMENT_BYTES) {
      flags.push(`--api-versions=${current}`);
      current = '';
    }
    current = current === '' ? version : `${current},${version}`;
  }
  return current === '' ? flags : [...flags, `--api-versions=${current}`];
}

function argumentsOf(
  input: RenderInput,
  { valuesPath, chartPath }: { valuesPath: string; chartPath: string },
): string[] {
  return [
    'template',
    `--namespace=${input.namespace}`,
    `--values=${valuesPath}`,
    `--kube-version=${input.capabilities.kubeVersion}`,
    '--include-crds',
    ...apiVersionFlags(input.capabilities.apiVersions),
    ...(input.isUpgrade ? ['--is-upgrade'] : []),
    ...(input.skipSchemaValidation ? ['--skip-schema-validation'] : []),
    '--',
    input.releaseName,
    chartPath,
  ];
}

/** helm's own error without the frame that only a terminal user needs, and without paths of this machine. */
export function problemOf(stderr: string, scratch: string, chartPath: string): string {
  const lines = stderr.split('\n').filter((line) => !/^(level=|WARNING:|Use --debug|\s*$)/.test(line));
  const text = lines
    .join('\n')
    .replace(/^Error: /m, '')
    .replaceAll(scratch, '')
    .replaceAll(chartPath, 'chart')
    .trim();
  const known = text === '' ? 'helm template failed without saying why' : text;
  return known.length <= MAX_PROBLEM_LENGTH ? known : `${known.slice(0, MAX_PROBLEM_LENGTH)}…`;
}

/** The chart with what it needs to render as in an install or upgrade; the file itself when that is nothing. */
async function preparedChart(input: RenderInput, folder: string): Promise<string> {
  const { traits, revision, capabilities } = input;
  const added: readonly AddedTemplate[] = preamble({ traits, revision, apiVersions: capabilities.apiVersions.length });
  if (added.length === 0) return input.chartPath;
  const path = join(folder, 'chart.tgz');
  await writeFile(path, Buffer.concat([archivePrefix(added), await readFile(input.chartPath)]));
  return path;
}

async function renderOnce(input: RenderInput, valuesText: string, deps: RenderDependencies): Promise<RenderResult> {
  const { path, dispose } = await deps.scratch('render');
  try {
    const valuesPath = join(path, 'values.json');
    // Values may hold secrets: nobody else on this machine may read them.
    await writeFile(valuesPath, valuesText, { mode: 0o600 });
    const chartPath = await preparedChart(input, path);
    const { code, stdout, stderr } = await deps.run(deps.helmPath, argumentsOf(input, { valuesPath, chartPath }), {
      cwd: path,
      timeoutMs: TIMEOUT_MS,
      signal: input.signal,
      // Short-lived process: collecting garbage costs more than the memory. No configuration of the user may leak in.
      env: {
        GOMAXPROCS: '1',
        GOGC: 'off',
        HELM_CACHE_HOME: path,
        HELM_CONFIG_HOME: path,
        HELM_DATA_HOME: path,
        KUBECONFIG: join(path, 'none'),
      },
    });
    return code === 0 ? { output: stdout } : { problem: problemOf(stderr, path, input.chartPath) };
  } finally {
    await dispose();
  }
}

/**
 * Renders charts by the real helm, without a cluster, as an install or upgrade to `revision` would. The same input is
 * rendered once; a refusal is remembered too. Rejects when helm could not run, timed out or was cancelled.
 */
export function createRender(deps: RenderDependencies): Render {
  const cache = createLru<RenderResult>(CACHED_RENDERS);
  return async (given) => {
    const valuesText = printJson(given.values);
    const input = { ...given, traits: withText(given.traits, valuesText) };
    const key = cacheKey(input, valuesText);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const result = await renderOnce(input, valuesText, deps);
    cache.set(key, result);
    return result;
  };
}
