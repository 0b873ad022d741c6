/**
 * What was typed and not saved, by who typed it and what is edited: until it is saved or discarded, or the page is
 * loaded again. It is kept in memory only, as values may hold secrets. Who signs in instead gets nothing of it, and
 * takes nothing away.
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
