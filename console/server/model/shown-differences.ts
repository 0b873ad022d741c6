import type { Difference } from '#controllers/runtime/pure/field-changes.js';
import { printJson } from '#controllers/runtime/pure/lossless-json.js';

/** A field that differs, with its values as JSON; empty where there is none. */
export interface ShownDifference {
  readonly path: string;
  readonly old: string;
  readonly new: string;
}

export interface ShownDifferences {
  readonly differences: readonly ShownDifference[];
  /** How many more there are. */
  readonly more: number;
}

const MOST = 500;
const MOST_CHARACTERS = 2_000;

function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function shown(value: unknown): string {
  return value === undefined || value === null ? '' : shortened(printJson(value));
}

/** As much of what differs as a page has room for. */
export function shownDifferences(differences: readonly Difference[]): ShownDifferences {
  const first = differences.slice(0, MOST);
  return {
    differences: first.map(({ path, old, new: next }) => ({
      path: shortened(path),
      old: shown(old),
      new: shown(next),
    })),
    more: differences.length - first.length,
  };
}
