import type { HttpFault, SeenRequest } from '#bench/faults/http-proxy.js';

const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
/** Group and version, perhaps a namespace, then the resource and the name. */
const OBJECT = /^\/apis?\/(?:[^/]+\/){1,2}?(?:namespaces\/[^/]+\/)?([a-z]+)\/([^/?]+)(\/status)?(?:\?|$)/;

/** `METHOD resource` of a request that changes an object, but for events; undefined for any other. */
function writeOf({ method, path }: SeenRequest): string | undefined {
  const match = OBJECT.exec(path);
  if (match === null || !WRITES.includes(method) || path.includes('dryRun=')) return undefined;
  const [, plural = '', , status = ''] = match;
  return plural === 'events' ? undefined : `${method} ${plural}${status}`;
}

/** Where a run is held: at the first write of this kind that comes after one of the kind before. */
export interface Hold {
  readonly write: string;
  readonly after: string | undefined;
}

/**
 * Holds the writes of single runs on their way to API servers: one that is held never arrives, nor does any later one
 * of its run. A run is found by its name, which all its objects have in their path.
 */
export class WriteGate {
  readonly #name: RegExp;
  readonly #holds = new Map<string, Hold>();
  readonly #held = new Set<string>();
  readonly #writes = new Map<string, string[]>();

  /** `name`: what the names of runs look like. */
  constructor(name: RegExp) {
    this.#name = name;
  }

  /** To be injected into proxies: all of them count together. */
  readonly fault: HttpFault = { match: (seen) => this.#isHeld(seen), silent: true };

  /** Counts the writes of a run from now on; holds them at `hold`. */
  arm(run: string, hold?: Hold): void {
    this.#writes.set(run, []);
    if (hold !== undefined) this.#holds.set(run, hold);
  }

  isHeld(run: string): boolean {
    return this.#held.has(run);
  }

  /** What the run wrote since it was armed. */
  writesOf(run: string): readonly string[] {
    return this.#writes.get(run) ?? [];
  }

  /** Holds nothing any more, and counts anew. */
  open(): void {
    this.#holds.clear();
    this.#held.clear();
    for (const run of this.#writes.keys()) this.#writes.set(run, []);
  }

  #isHeld(seen: SeenRequest): boolean {
    const run = this.#name.exec(seen.path)?.[0];
    const write = writeOf(seen);
    if (run === undefined || write === undefined) return false;
    if (!this.#held.has(run) && !this.#isReached(run, write)) {
      this.#writes.get(run)?.push(write);
      return false;
    }
    this.#held.add(run);
    return true;
  }

  #isReached(run: string, write: string): boolean {
    const hold = this.#holds.get(run);
    if (hold?.write !== write) return false;
    return hold.after === undefined || this.writesOf(run).includes(hold.after);
  }
}
