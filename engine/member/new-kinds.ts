/** Longer than any response of discovery is cached. */
const REMEMBERED_MS = 11 * 60_000;

/**
 * Kinds whose CustomResourceDefinitions this process applied lately. Cached discovery without them is out of date,
 * whichever credential it was fetched with.
 */
export class NewKinds {
  /** By `group/version`: kinds, and when each is forgotten. */
  readonly #kinds = new Map<string, Map<string, number>>();

  /** `now`: monotonic milliseconds. */
  add(apiVersion: string, kind: string, now: number): void {
    this.#forget(now);
    const kinds = this.#kinds.get(apiVersion) ?? new Map<string, number>();
    kinds.set(kind, now + REMEMBERED_MS);
    this.#kinds.set(apiVersion, kinds);
  }

  /** Groups and versions with a new kind, as `group/version`. */
  apiVersions(): Iterable<string> {
    return this.#kinds.keys();
  }

  kindsIn(apiVersion: string): Iterable<string> {
    return this.#kinds.get(apiVersion)?.keys() ?? [];
  }

  #forget(now: number): void {
    for (const [apiVersion, kinds] of this.#kinds) {
      for (const [kind, until] of kinds) {
        if (until <= now) kinds.delete(kind);
      }
      if (kinds.size === 0) this.#kinds.delete(apiVersion);
    }
  }
}
