import { listed } from '#controllers/runtime/pure/listed.js';

const NAMED = 10;

/** Warns of `names` in an annotation that no destination is on; undefined if there are none. `clusters`: where they are. */
export function unknownClusters(
  annotation: string,
  names: Iterable<string>,
  clusters: readonly string[],
): string | undefined {
  const known = new Set(clusters);
  const unknown = [...names].filter((name) => !known.has(name)).map((name) => JSON.stringify(name));
  if (unknown.length === 0) return undefined;
  const there = known.size === 0 ? 'none is left' : `they are on ${listed([...known].sort(), NAMED)}`;
  return `annotation ${annotation}: no destination is on ${listed(unknown, NAMED)} (${there}); correct the name, or remove it`;
}
