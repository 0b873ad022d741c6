import { printJson } from '#lib/json/lossless-json.js';
import { isMap } from '#lib/plain.js';
import { pathText } from './three-way.js';
import { valueAt, type Path } from '../../model/yaml-edit.js';

/** A field that the API server would not store as it was sent. */
export interface StoredOtherwise {
  readonly field: string;
  /** As it would be stored; empty if it would be dropped. */
  readonly stored: string;
}

const MOST_CHARACTERS = 100;

/** Undefined for what is no list and no map. */
function keysOf(value: unknown): (string | number)[] | undefined {
  if (Array.isArray(value)) return [...value.keys()];
  return isMap(value) ? Object.keys(value) : undefined;
}

function* compared(sent: unknown, kept: unknown, path: Path): Generator<StoredOtherwise> {
  // What says nothing is dropped everywhere, and changes nothing.
  if (sent === null || sent === undefined) return;
  const stored = kept === undefined || kept === null ? '' : printJson(kept);
  const keys = keysOf(sent);
  if (stored === '' || keys === undefined) {
    if (stored !== printJson(sent)) yield { field: pathText(path), stored: stored.slice(0, MOST_CHARACTERS) };
    return;
  }
  for (const key of keys) yield* compared(valueAt(sent, [key]), valueAt(kept, [key]), [...path, key]);
}

/** The fields that the API server does not know, and drops without a word, and numbers that it cannot hold. */
export function storedOtherwise(sent: unknown, kept: unknown, path: Path): StoredOtherwise[] {
  return [...compared(sent, kept, path)];
}
