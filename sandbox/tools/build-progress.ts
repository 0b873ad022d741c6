/** A package that must be compiled. */
export interface BuildPackage {
  /** In bytes of source, or what takes as long to compile. */
  readonly cost: number;
  /** The same in two modules if both compile the same source against the same libraries: it is then compiled once. */
  readonly identity: string;
}

/** The packages and programs that are left to compile. */
export interface BuildWork {
  /** By import path. */
  readonly packages: ReadonlyMap<string, BuildPackage>;
  /** Number of programs to link. */
  readonly programs: number;
}

/** Starting the compiler costs as much as so many bytes of source. */
const START_COST = 10_000;
/** The same of reading what it needs to know of each package that is imported, directly or not. */
const DEPENDENCY_COST = 460;
/** The same of linking a program, which no line of `go build` reports. */
const PROGRAM_COST = 1_500_000;
/** Below this share, the pace is not known well enough to tell the time that is left. */
const LEAST_FOR_ESTIMATE = 0.05;

/** Cost of a package with so many bytes of source, and so many packages that it depends on. */
export function packageCost(bytes: number, dependencies: number): number {
  return START_COST + bytes + DEPENDENCY_COST * dependencies;
}

function costOf({ packages, programs }: BuildWork): number {
  return [...packages.values()].reduce((sum, { cost }) => sum + cost, programs * PROGRAM_COST);
}

/** The work without packages of known identity, because an earlier build compiles them. The others are known then. */
export function withoutKnown({ packages, programs }: BuildWork, known: Set<string>): BuildWork {
  const others = [...packages].filter(([, { identity }]) => !known.has(identity));
  for (const [, { identity }] of others) known.add(identity);
  return { packages: new Map(others), programs };
}

function duration(ms: number): string {
  return ms < 90_000 ? `${Math.max(1, Math.round(ms / 10_000)) * 10} s` : `${Math.round(ms / 60_000)} min`;
}

/** Progress of all builds of a command together, so that the estimate never begins anew. */
export class BuildProgress {
  readonly #total: number;
  readonly #startedMs: number;
  #finished = 0;
  /** Of the module that is being built. */
  #current = 0;
  readonly #seen = new Set<BuildPackage>();

  /** `startedMs`: when the first build begins, in the milliseconds of `line`. */
  constructor(works: readonly BuildWork[], startedMs: number) {
    this.#total = works.reduce((sum, work) => sum + costOf(work), 0);
    this.#startedMs = startedMs;
  }

  /** A package of the module is compiled. Others, for example of tests, do not count, and none counts twice. */
  compiled({ packages }: BuildWork, importPath: string): void {
    const found = packages.get(importPath);
    if (found === undefined || this.#seen.has(found)) return;
    this.#seen.add(found);
    this.#current += found.cost;
  }

  /** The module is built, perhaps by another process. */
  built(work: BuildWork): void {
    this.#finished += costOf(work);
    this.#current = 0;
  }

  /** Milliseconds until everything is built; undefined while too little is done to know the pace. */
  leftMs(nowMs: number): number | undefined {
    const share = this.#share();
    return share < LEAST_FOR_ESTIMATE ? undefined : ((nowMs - this.#startedMs) * (1 - share)) / share;
  }

  /** One line for people who wait. */
  line(nowMs: number): string {
    const leftMs = this.leftMs(nowMs);
    const done = `compiling: ${Math.floor(this.#share() * 100)} %`;
    return leftMs === undefined ? done : `${done}, about ${duration(leftMs)} left`;
  }

  #share(): number {
    return this.#total === 0 ? 1 : Math.min(1, (this.#finished + this.#current) / this.#total);
  }
}

/** True for a line that `go build -v` writes for a package, in contrast to the words of a compiler. */
export function isPackageLine(line: string): boolean {
  return /^[\w.~-]+(\/[\w.~-]+)*$/.test(line);
}
