import type { KubeObject } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { getCondition } from '#lib/kube/conditions.js';

/** The objects of a real host at one moment. */
export interface Seen {
  readonly applications: readonly Application[];
  readonly children: readonly Child[];
  /** Versions of all objects that controllers write. */
  readonly versions: ReadonlyMap<string, string>;
  /** Applications and sources that no controller has seen as they are now. */
  readonly unobserved: readonly string[];
  /** These, what is being deleted, and children that an engine works on. */
  readonly unfinished: readonly string[];
}

interface Generation {
  readonly observedGeneration?: number;
}
export type Observed = KubeObject & { readonly status?: Generation & { readonly dryRun?: Generation } };

/**
 * True also for an object that is being deleted, as it may wait for long without another look at its spec. In a dry run,
 * the plan alone may be of the newest spec.
 */
function isObserved({ metadata, status }: Observed): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  return [status, status?.dryRun].some((each) => each?.observedGeneration === metadata.generation);
}

function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function namesOf(objects: readonly KubeObject[]): string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

/** An action on a busy machine takes long, and nothing is written meanwhile. */
function isWorkedOn({ spec, status }: Child): boolean {
  if (spec.suspend === true) return false;
  const ready = getCondition(status?.conditions, 'Ready');
  return ready === undefined || ready.status === 'Unknown';
}

/** Sums up how far the controllers have come, from all objects of a story. */
export function seenOf(
  applications: readonly Application[],
  children: readonly Child[],
  sources: readonly Observed[],
): Seen {
  const watched: readonly Observed[] = [...applications, ...sources];
  const all: readonly KubeObject[] = [...watched, ...children];
  const versions = new Map(
    all.map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.resourceVersion ?? '']),
  );
  const unobserved = namesOf(watched.filter((each) => !isObserved(each)));
  const unfinished = [...unobserved, ...namesOf([...all.filter(isLeaving), ...children.filter(isWorkedOn)])];
  return { applications, children, versions, unobserved, unfinished };
}

function movedBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.filter((name) => before.get(name) !== after.get(name));
}

/** Tells since when nothing changes, and since when both worlds agree. */
export class Pace {
  #versions: ReadonlyMap<string, string> = new Map();
  #moved: readonly string[] = [];
  #changedMs = Date.now();
  #busyMs = Date.now();
  #sameMs = Infinity;
  #nowMs = Date.now();

  see({ versions, unfinished }: Seen, restartedAtMs: number): void {
    this.#nowMs = Date.now();
    const moved = movedBetween(this.#versions, versions);
    this.#versions = versions;
    if (moved.length > 0) [this.#moved, this.#changedMs] = [moved, this.#nowMs];
    // Without a controller, nothing is at rest.
    this.#changedMs = Math.max(this.#changedMs, Math.min(this.#nowMs, restartedAtMs));
    this.#busyMs = unfinished.length > 0 ? this.#nowMs : Math.max(this.#busyMs, this.#changedMs);
  }

  agree(isSame: boolean): void {
    this.#sameMs = isSame ? Math.min(this.#sameMs, this.#nowMs) : Infinity;
  }

  /** Milliseconds for which nothing has changed. */
  get quietMs(): number {
    return this.#nowMs - this.#changedMs;
  }

  /** Milliseconds for which nothing has changed, and nobody has had work to do. */
  get restMs(): number {
    return this.#nowMs - this.#busyMs;
  }

  /** Milliseconds for which both worlds have agreed, and nothing has changed. */
  get agreedMs(): number {
    return this.#nowMs - Math.max(this.#sameMs, this.#changedMs);
  }

  /** Names the objects that somebody still works on, and those that changed last. */
  moving({ unfinished }: Seen): string {
    return [...unfinished.map((each) => `${each} is not finished`), ...this.#moved].join(', ');
  }
}
