/**
 * Waiting keys without duplicates. Groups take turns: a namespace with ten thousand keys delays the only key of another
 * one by a single reconciliation. Within a group, keys leave in the order of arrival.
 */
export class FairQueue {
  readonly #groupOf: (key: string) => string;
  /** In the order of their turns. */
  readonly #groups = new Map<string, Set<string>>();
  #size = 0;

  constructor(groupOf: (key: string) => string) {
    this.#groupOf = groupOf;
  }

  get size(): number {
    return this.#size;
  }

  /** False if the key is waiting already. */
  add(key: string): boolean {
    const name = this.#groupOf(key);
    const group = this.#groups.get(name) ?? new Set();
    if (group.has(key)) return false;
    this.#groups.set(name, group.add(key));
    this.#size += 1;
    return true;
  }

  /** Removes and returns the next key; undefined if no open group has one. */
  next(isOpen: (group: string) => boolean = () => true): string | undefined {
    for (const [name, group] of this.#groups) {
      if (!isOpen(name)) continue;
      for (const key of group) {
        group.delete(key);
        this.#groups.delete(name);
        if (group.size > 0) this.#groups.set(name, group); // At the end: the others come first.
        this.#size -= 1;
        return key;
      }
    }
    return undefined;
  }

  clear(): void {
    this.#groups.clear();
    this.#size = 0;
  }
}
