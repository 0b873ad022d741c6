import type { GitRepository } from './types.js';

function namesOf(repository: GitRepository | undefined): string[] {
  return (repository?.spec.include ?? []).map((include) => include.repository.name);
}

/**
 * The way from a repository over its includes back to itself, by names, both ends included; undefined when there is
 * none. A cycle that it only leads to is that of others.
 */
export function includeCycle(
  repository: GitRepository,
  find: (name: string) => GitRepository | undefined,
): string[] | undefined {
  const start = repository.metadata.name;
  const ways = namesOf(repository).map((name) => [start, name]);
  const seen = new Set<string>();
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const name = way.at(-1) ?? '';
    if (name === start) return way;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const next of namesOf(find(name))) ways.push([...way, next]);
  }
  return undefined;
}
