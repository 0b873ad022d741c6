import type { GitRepository } from './types.js';

function namesOf(repository: GitRepository | undefined): string[] {
  return (repository?.spec.include ?? []).map((include) => include.repository.name);
}

function wayBack(start: string, previous: ReadonlyMap<string, string>): string[] {
  const way = [start];
  for (let name = previous.get(start); name !== undefined && name !== start; name = previous.get(name)) way.push(name);
  return [...way, start].reverse();
}

/**
 * The shortest way from a repository over its includes back to itself, by names, both ends included; undefined when there is
 * none. A cycle that it only leads to is that of others.
 */
export function includeCycle(
  repository: GitRepository,
  find: (name: string) => GitRepository | undefined,
): string[] | undefined {
  const start = repository.metadata.name;
  /** By the name of what is included: what includes it. */
  const previous = new Map(namesOf(repository).map((name) => [name, start]));
  // What is added in the loop has its turn in it, too.
  for (const name of previous.keys()) {
    if (name === start) return wayBack(start, previous);
    for (const next of namesOf(find(name))) if (!previous.has(next)) previous.set(next, name);
  }
  return undefined;
}
