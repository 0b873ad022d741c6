/**
 * Keys that wait, each once, handed out lane by lane in turn: a namespace with ten thousand keys delays the only key of
 * another one by a single pass. Within a lane the order is that of arrival.
 */
export class Lanes {
  readonly #laneOf: (key: string) => string;
  /** In the order in which the lanes come next. */
  readonly #lanes = new Map<string, Set<string>>();
  #size = 0;

  constructor(laneOf: (key: string) => string) {
    this.#laneOf = laneOf;
  }

  get size(): number {
    return this.#size;
  }

  /** False when the key waits already. */
  add(key: string): boolean {
    const name = this.#laneOf(key);
    const lane = this.#lanes.get(name) ?? new Set();
    if (lane.has(key)) return false;
    this.#lanes.set(name, lane.add(key));
    this.#size += 1;
    return true;
  }

  /** Takes the next key out; undefined when none waits in a lane that is open. */
  next(isOpen: (lane: string) => boolean = () => true): string | undefined {
    for (const [name, lane] of this.#lanes) {
      if (!isOpen(name)) continue;
      for (const key of lane) {
        lane.delete(key);
        this.#lanes.delete(name);
        if (lane.size > 0) this.#lanes.set(name, lane); // At the end: the others come first.
        this.#size -= 1;
        return key;
      }
    }
    return undefined;
  }

  clear(): void {
    this.#lanes.clear();
    this.#size = 0;
  }
}
