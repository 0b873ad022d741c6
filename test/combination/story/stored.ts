import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Story } from './steps.js';

/** A story with a name, and what it shows. */
export interface StoredStory extends Story {
  /** Describes the defect for people. */
  readonly about: string;
  /** The invariant that fails today: whoever makes it hold removes this. Absent: all invariants hold. */
  readonly knownFailure?: string;
}

const FOLDER = new URL('../stories/', import.meta.url);

/** The names of all stored stories. */
export function storedNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

/** A stored story by its name. */
export function readStory(name: string): StoredStory {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as StoredStory; // as it was written below
}

/** Stores a story under a name; returns the path of its file. */
export function writeStory(name: string, story: StoredStory): string {
  const file = new URL(`${name}.json`, FOLDER);
  writeFileSync(file, `${JSON.stringify(story, undefined, 2)}\n`);
  return fileURLToPath(file);
}
