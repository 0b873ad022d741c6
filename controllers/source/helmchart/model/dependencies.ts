import { isMap } from '#lib/plain.js';
import { registryUrlProblem } from '../../oci/model/reference.js';
import { helmUrlProblem } from '../../model/urls.js';
import { pathWithin } from '../../model/paths.js';

/** A chart that another one needs in its charts/. */
export interface Dependency {
  readonly name: string;
  /** A version or a range. */
  readonly version: string;
  /** Where it is, as its author wrote it; empty: in charts/. */
  readonly repository: string;
}

/** The files of a chart that name dependencies, parsed. */
interface DependencyFiles {
  readonly chart: unknown;
  /** `requirements.yaml` of an old chart. */
  readonly requirements?: unknown;
  /** `Chart.lock`, or `requirements.lock`. */
  readonly lock?: unknown;
}

export interface Problem {
  readonly problem: string;
}

/** Where a dependency is: in a folder of the source, in an index, or in a registry. */
export type DependencyPlace =
  | { readonly kind: 'folder'; readonly parts: readonly string[] }
  | { readonly kind: 'index' | 'registry'; readonly url: string };

const MAX_DEPENDENCIES = 100;
const SHOWN = 200;

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function listIn(file: unknown): readonly unknown[] | undefined {
  const list = isMap(file) ? file['dependencies'] : undefined;
  return Array.isArray(list) ? list : undefined;
}

function dependencyIn(entry: unknown): Dependency {
  const { name, version, repository } = isMap(entry) ? entry : {};
  return { name: text(name), version: text(version), repository: text(repository) };
}

/**
 * What a chart depends on. A lock comes first, as in Flux, which does not ask whether it is up to date either: its
 * versions are exact.
 */
export function dependenciesOf({ chart, requirements, lock }: DependencyFiles): readonly Dependency[] | Problem {
  // A lock may be there and be empty.
  const locked = isMap(lock) ? (listIn(lock) ?? []) : undefined;
  const list = locked ?? listIn(requirements) ?? listIn(chart) ?? [];
  if (list.length > MAX_DEPENDENCIES) return { problem: `has more than ${MAX_DEPENDENCIES} dependencies` };
  const found = list.map(dependencyIn);
  return found.some(({ name }) => name === '') ? { problem: 'has a dependency without a name' } : found;
}

/** A dependency for messages. */
export function shownDependency({ name }: Dependency): string {
  return `the dependency ${JSON.stringify(name.slice(0, SHOWN))}`;
}

/**
 * The dependencies that charts/ does not have, each once, however often it is used by an alias. A packaged chart holds
 * one chart of each name: helm would write two into one folder, and of them read only the last.
 */
export function missingDependencies(
  wanted: readonly Dependency[],
  present: ReadonlySet<string>,
): readonly Dependency[] | Problem {
  const missing = new Map<string, Dependency>();
  for (const dependency of wanted) {
    const { name, version, repository } = dependency;
    const other = missing.get(name);
    if (present.has(name)) continue;
    if (other !== undefined && (other.version !== version || other.repository !== repository)) {
      const problem = `${shownDependency(dependency)} is needed in two versions, and a packaged chart holds only one`;
      return { problem: `${problem}: copy the other into charts/ under another name` };
    }
    missing.set(name, dependency);
  }
  return [...missing.values()];
}

/** The URL of a Helm repository in the form in which two of them are compared, as in Flux; undefined if it is none. */
export function repositoryKey(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const path = parsed.pathname.replace(/\/+$/, '');
  parsed.pathname = parsed.protocol === 'oci:' ? path : `${path}/`;
  return parsed.href;
}

/** Where a dependency of the chart in the folder `chart` (in parts, below the root of its source) is. */
export function dependencyPlace({ name, repository }: Dependency, chart: readonly string[]): DependencyPlace | Problem {
  const below = (folder: string): DependencyPlace => ({
    kind: 'folder',
    parts: pathWithin(`${chart.join('/')}/${folder}`),
  });
  if (repository === '') return below(`charts/${name}`);
  if (repository.startsWith('file://')) return below(repository.slice('file://'.length));
  if (registryUrlProblem(repository) === undefined) return { kind: 'registry', url: repository };
  if (helmUrlProblem(repository) === undefined) return { kind: 'index', url: repository };
  const shown = JSON.stringify(repository.slice(0, SHOWN));
  const isAlias = /^(?:@|alias:)/.test(repository);
  return {
    problem: isAlias
      ? `its repository ${shown} is a name that only the helm of its author knows: write the URL`
      : 'its repository is not an http(s), oci or file URL without credentials',
  };
}
