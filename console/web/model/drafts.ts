/**
 * What was typed and not saved, by what is edited: until it is saved or discarded, or the page is loaded again. It is
 * kept in memory only, as values may hold secrets, and for its own user only.
 */
export class Drafts<T> {
  readonly #kept = new Map<string, { readonly user: string; readonly draft: T }>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get count(): number {
    return this.#kept.size;
  }

  of(key: string, user: string): T | undefined {
    const found = this.#kept.get(key);
    if (found === undefined || found.user === user) return found?.draft;
    this.#kept.clear();
    this.#changed();
    return undefined;
  }

  keep(key: string, user: string, draft: T): void {
    this.#kept.set(key, { user, draft });
    this.#changed();
  }

  drop(key: string): void {
    this.#kept.delete(key);
    this.#changed();
  }

  /** Those of all keys that begin with it. */
  dropAll(beginning: string): void {
    for (const key of this.#kept.keys()) if (key.startsWith(beginning)) this.#kept.delete(key);
    this.#changed();
  }
}
