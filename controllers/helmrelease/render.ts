import { createHash } from 'node:crypto';
import { copyFile, link, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArtifactStore } from '#engine/artifact/types.js';
import type { Capabilities } from '#engine/member/member.js';
import { openReadOnlyProxy } from '#engine/member/read-only-proxy.js';
import { helmEnvironment, outputOrRefusal, type Run } from '#engine/process/run.js';
import { printJsonForYaml } from '#lib/json/lossless-json.js';
import { createLru } from '#lib/lru.js';
import type { Kube } from '#runtime/client/kube.js';
import { archivePrefix } from './chart-archive.js';
import { type ChartTraits, withText } from './model/chart-traits.js';
import { type AddedTemplate, preamble } from './model/preamble.js';

/** Everything that decides what a chart renders to. */
export interface RenderInput {
  /** Path and digest of the packaged chart. */
  readonly chartPath: string;
  readonly chartDigest: string;
  /** Version of the chart, where it is not the one in Chart.yaml. */
  readonly chartVersion: string | undefined;
  readonly traits: ChartTraits;
  readonly releaseName: string;
  readonly namespace: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly capabilities: Capabilities;
  readonly isUpgrade: boolean;
  /** The revision to create. */
  readonly revision: number;
  readonly skipSchemaValidation: boolean;
  /** Timeout of the action. */
  readonly timeoutMs: number;
  /** The cluster, read only for charts that use `lookup`. Undefined: there is none, and `lookup` finds nothing. */
  readonly cluster: Pick<Kube, 'read'> | undefined;
  readonly signal: AbortSignal;
}

/** The manifests that helm printed, with their source paths, or why it failed. */
export type RenderResult = { readonly output: string } | { readonly problem: string };

export type Render = (input: RenderInput) => Promise<RenderResult>;

export interface RenderDependencies {
  readonly run: Run;
  readonly helmPath: string;
  readonly scratch: ArtifactStore['scratch'];
}

/** Timeout of one run of helm. */
export const TIMEOUT_MS = 60_000;
/** Longest timeout of a chart that uses `lookup`, whatever its release says: this also ends loops in templates. */
const MAX_TIMEOUT_MS = 600_000;
/** Cached output and errors of helm. */
const CACHED_BYTES = 64 * 1024 * 1024;
/** No release that renders to more fits into Helm's storage. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Linux refuses a single argument of 128 KiB. */
const MAX_ARGUMENT_BYTES = 64 * 1024;

function cacheKey(input: RenderInput, valuesText: string): string {
  const { chartDigest, chartVersion, releaseName, namespace, capabilities, isUpgrade, skipSchemaValidation } = input;
  const revision = input.traits.usesRevision ? input.revision : undefined;
  const chart = { chartDigest, chartVersion };
  const decisive = { ...chart, releaseName, namespace, capabilities, isUpgrade, skipSchemaValidation, revision };
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

interface Files {
  readonly valuesPath: string;
  readonly chartPath: string;
  readonly kubeconfigPath: string;
}

/** With a cluster, helm asks it for capabilities and for every object of a first install. */
function clusterArguments({ capabilities, traits }: RenderInput, { kubeconfigPath }: Files): string[] {
  if (!traits.usesLookup) {
    return [`--kube-version=${capabilities.kubeVersion}`, ...apiVersionFlags(capabilities.apiVersions)];
  }
  return ['--dry-run=server', `--kubeconfig=${kubeconfigPath}`, '--take-ownership', '--disable-openapi-validation'];
}

function argumentsOf(input: RenderInput, files: Files): string[] {
  return [
    'template',
    `--namespace=${input.namespace}`,
    `--values=${files.valuesPath}`,
    ...clusterArguments(input, files),
    ...(input.isUpgrade ? ['--is-upgrade'] : []),
    ...(input.skipSchemaValidation ? ['--skip-schema-validation'] : []),
    '--',
    input.releaseName,
    files.chartPath,
  ];
}

/** helm's error without usage hints and without paths of this machine, whole: its secrets are masked before it is cut. */
export function problemOf(stderr: string, scratch: string, chartPath: string): string {
  const lines = stderr.split('\n').filter((line) => !/^(level=|WARNING:|Use --debug|\s*$)/.test(line));
  const text = lines
    .join('\n')
    .replace(/^Error: /m, '')
    .replaceAll(chartPath, 'chart')
    .replaceAll(scratch, '')
    .trim();
  return text === '' ? 'helm template failed without saying why' : text;
}

/**
 * The speed of a cluster is not the fault of a chart: with `lookup`, rendering may take as long as the action, within
 * limits.
 */
function lookupTimeoutMs(actionTimeoutMs: number): number {
  return Math.min(Math.max(TIMEOUT_MS, actionTimeoutMs), MAX_TIMEOUT_MS);
}

/** To helm, an archive that the store deletes meanwhile would look like a broken chart. */
async function hold(archive: string, path: string): Promise<void> {
  try {
    await link(archive, path);
  } catch {
    // Another file system, or one without links. A deleted archive fails here as well.
    await copyFile(archive, path);
  }
}

/** The chart with the templates that make it render as in an install or upgrade. */
async function preparedChart(input: RenderInput, folder: string): Promise<string> {
  const { traits, revision, capabilities, chartVersion: version } = input;
  const given = traits.usesLookup ? {} : { apiVersions: capabilities.apiVersions.length };
  const added: readonly AddedTemplate[] = preamble({ traits, revision, version, ...given });
  const path = join(folder, 'chart.tgz');
  if (added.length === 0) await hold(input.chartPath, path);
  else await writeFile(path, Buffer.concat([archivePrefix(added), await readFile(input.chartPath)]));
  return path;
}

async function runHelm(
  input: RenderInput,
  { valuesText, folder, kubeconfig }: { valuesText: string; folder: string; kubeconfig: string },
  deps: RenderDependencies,
): Promise<RenderResult> {
  const [valuesPath, kubeconfigPath] = [join(folder, 'values.json'), join(folder, 'kubeconfig')];
  // Values may contain secrets: no other user of this machine may read them.
  await writeFile(valuesPath, valuesText, { mode: 0o600 });
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const chartPath = await preparedChart(input, folder);
  const args = argumentsOf(input, { valuesPath, chartPath, kubeconfigPath });
  const result = await deps.run(deps.helmPath, args, {
    maxOutputBytes: MAX_OUTPUT_BYTES,
    cwd: folder,
    timeoutMs: input.traits.usesLookup ? lookupTimeoutMs(input.timeoutMs) : TIMEOUT_MS,
    signal: input.signal,
    env: { ...helmEnvironment(folder), KUBECONFIG: kubeconfigPath },
  });
  return outputOrRefusal('helm template', result, (stderr) => problemOf(stderr, folder, chartPath));
}

async function renderOnce(input: RenderInput, valuesText: string, deps: RenderDependencies): Promise<RenderResult> {
  const { path: folder, dispose } = await deps.scratch('render');
  try {
    if (!input.traits.usesLookup || input.cluster === undefined) {
      return await runHelm(input, { valuesText, folder, kubeconfig: '' }, deps);
    }
    const proxy = await openReadOnlyProxy(input.cluster, input.signal);
    try {
      return await runHelm(input, { valuesText, folder, kubeconfig: proxy.kubeconfig }, deps);
    } finally {
      await proxy.close();
    }
  } finally {
    await dispose();
  }
}

function sizeOf(result: RenderResult): number {
  return 'output' in result ? result.output.length : result.problem.length;
}

/**
 * Renders charts with the real helm as an install or upgrade to `revision` would, with a cluster only for charts that
 * use `lookup`. The same input is rendered once, also if helm rejects it. Throws if helm cannot run, times out or is
 * cancelled.
 */
export function createRender(deps: RenderDependencies): Render {
  const cache = createLru<RenderResult>(CACHED_BYTES, sizeOf);
  return async (given) => {
    const valuesText = printJsonForYaml(given.values);
    const traits = withText(given.traits, valuesText);
    const input = { ...given, traits: { ...traits, usesLookup: traits.usesLookup && given.cluster !== undefined } };
    const key = cacheKey(input, valuesText);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const result = await renderOnce(input, valuesText, deps);
    // The result of a lookup may change.
    if (!input.traits.usesLookup) cache.set(key, result);
    return result;
  };
}
