import type { Difference } from '../../controllers/runtime/pure/field-changes.js';
import { printJson } from '../../controllers/runtime/pure/lossless-json.js';
import { oneLine } from '../../controllers/runtime/pure/one-line.js';

function shown(value: unknown): string {
  return value === undefined || value === null ? '(none)' : printJson(value);
}

/** A line for each field that differs, with both values. */
export function differenceLines(differences: readonly Difference[]): string[] {
  return differences.map(({ path, old, new: next }) => oneLine(`${path}: ${shown(old)} -> ${shown(next)}`));
}
