import jsonPatch from 'fast-json-patch';

/** JSON pointers as one tree: a place that may differ, or the steps to such places. */
export interface IgnoredPaths {
  /** Everything here may differ; then there are no steps. */
  readonly isIgnored: boolean;
  readonly below: ReadonlyMap<string, IgnoredPaths>;
}

interface Place {
  isIgnored: boolean;
  readonly below: Map<string, Place>;
}

function emptyPlace(): Place {
  return { isIgnored: false, below: new Map() };
}

function add(tree: Place, pointer: string): void {
  let place = tree;
  for (const step of pointer.split('/').slice(1).map(jsonPatch.unescapePathComponent)) {
    if (place.isIgnored) return;
    const next = place.below.get(step) ?? emptyPlace();
    place.below.set(step, next);
    place = next;
  }
  place.isIgnored = true;
  place.below.clear();
}

/** As in Flux, a text that is no JSON pointer ignores nothing, and neither does the pointer to the whole object. */
export function ignoredPaths(pointers: readonly string[]): IgnoredPaths {
  const tree = emptyPlace();
  for (const pointer of pointers) if (pointer.startsWith('/')) add(tree, pointer);
  return tree;
}

/** The place in a list that a step names. */
export function indexOfStep(step: string): number | undefined {
  return /^(?:0|[1-9][0-9]*)$/.test(step) ? Number(step) : undefined;
}
