import { readText, textOf, type Editable } from './application-text.js';
import { editsBetween, mergeThree } from './three-way.js';
import { editYaml, type Path } from '../../model/yaml-edit.js';

/**
 * Unsaved drafts by user and by the object that they edit: until they are saved or discarded, or the page is loaded
 * again. They are kept in memory only, as values may hold secrets. Another user who signs in sees none of them, and
 * removes none.
 */
export class Drafts<T> {
  readonly #kept = new Map<string, Map<string, T>>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get count(): number {
    return [...this.#kept.values()].reduce((sum, { size }) => sum + size, 0);
  }

  of(key: string, user: string): T | undefined {
    return this.#kept.get(user)?.get(key);
  }

  keep(key: string, user: string, draft: T): void {
    const own = this.#kept.get(user) ?? new Map<string, T>();
    this.#kept.set(user, own.set(key, draft));
    this.#changed();
  }

  drop(key: string, user: string): void {
    this.#kept.get(user)?.delete(key);
    this.#changed();
  }

  /** Those of all keys that begin with it. */
  dropAll(beginning: string, user: string): void {
    const own = this.#kept.get(user);
    for (const key of own?.keys() ?? []) if (key.startsWith(beginning)) own?.delete(key);
    this.#changed();
  }
}

/** What becomes of a text when somebody else changed the Application meanwhile. */
export interface Takeover {
  /** What was typed, with their changes. */
  readonly text: string;
  /** What they changed. */
  readonly theirs: readonly Path[];
  /** What both changed, and differently: there, it stays as it was typed. */
  readonly both: readonly Path[];
}

/** What changed between two other texts is put into a text. Undefined if one of them is no YAML. */
export function mergedTexts(text: string, base: string, theirs: string): Takeover | undefined {
  const [mine, before, now] = [text, base, theirs].map(readText);
  if (mine === undefined || before === undefined || now === undefined) return undefined;
  if (!('value' in mine && 'value' in before && 'value' in now)) return undefined;
  const { value, both } = mergeThree({ base: before.value, mine: mine.value, theirs: now.value });
  const changed = editsBetween(before.value, now.value).map(({ path }) => path);
  return { text: editYaml(text, editsBetween(mine.value, value)), theirs: changed, both };
}

/** Undefined if the text is no YAML. */
export function takeoverOf(text: string, base: Editable, theirs: Editable): Takeover | undefined {
  return mergedTexts(text, textOf(base), textOf(theirs));
}
