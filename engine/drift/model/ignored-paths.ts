import jsonPatch from 'fast-json-patch';

/** The steps of a JSON pointer to a place that may differ. */
export type IgnoredPath = readonly [string, ...string[]];

interface Place {
  /** Everything here may differ: then nothing is below. */
  path?: IgnoredPath;
  readonly below: Map<string, Place>;
}

function add(tree: Place, path: IgnoredPath): void {
  let place = tree;
  for (const step of path) {
    if (place.path !== undefined) return;
    const next = place.below.get(step) ?? { below: new Map() };
    place.below.set(step, next);
    place = next;
  }
  place.path = path;
  place.below.clear();
}

/**
 * JSON pointers, read: none lies within another. As in Flux, a text that is no JSON pointer ignores nothing, and neither
 * does the pointer to the whole object.
 */
export function ignoredPaths(pointers: readonly string[]): readonly IgnoredPath[] {
  const tree: Place = { below: new Map() };
  for (const pointer of pointers) {
    const [, first, ...rest] = pointer.split('/').map(jsonPatch.unescapePathComponent);
    if (pointer.startsWith('/') && first !== undefined) add(tree, [first, ...rest]);
  }
  const found: IgnoredPath[] = [];
  // Not recursive: users write the paths, of any depth.
  const open = [tree];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.path !== undefined) found.push(place.path);
    for (const next of place.below.values()) open.push(next);
  }
  return found;
}

/** The JSON pointer of a path, as a user wrote it. */
export function pointerTo(path: IgnoredPath): string {
  return path.map((step) => `/${jsonPatch.escapePathComponent(step)}`).join('');
}

/** The place in a list that a step names. */
export function indexOfStep(step: string): number | undefined {
  return /^(?:0|[1-9][0-9]*)$/.test(step) ? Number(step) : undefined;
}
