import type { Application } from '#api/v1alpha1/application.js';
import type { Cache, Change } from '#runtime/controller.js';
import { parseTimestamp } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import type { Clocks } from './model/children/elapsed.js';
import { provenTarget, targetClaim, type Targets, targetValues } from './model/children/same-target.js';
import type { Child } from './model/child/types.js';
import { fateText, type Leaving } from './model/clusters/leaving.js';
import type { Counted } from './model/clusters/removals.js';

type Fate = Omit<Leaving, 'uninstalls' | 'why'>;

/** A process that reads a time of the status which is further ahead does not wait longer than this. */
const LONGEST_COUNT_MS = 2 * 3_600_000;

/**
 * How long removals count, by Application: when the clock is set forward, they count as long as before. Kept only in
 * memory: after a restart, their times in the status decide alone.
 */
export class CountedRemovals {
  readonly #ends = new Map<string, ReadonlyMap<string, number>>();

  /** Milliseconds for which removals still count, by their `until`. */
  leftMs(application: string, counted: readonly Counted[], { nowMs, steadyMs }: Clocks): ReadonlyMap<string, number> {
    const before = this.#ends.get(application);
    const endOf = (until: string): number =>
      steadyMs + Math.min(LONGEST_COUNT_MS, (parseTimestamp(until) ?? nowMs) - nowMs);
    const ends = counted.map(({ until }) => [until, before?.get(until) ?? endOf(until)] as const);
    if (ends.length === 0) this.forget(application);
    else this.#ends.set(application, new Map(ends));
    return new Map(ends.map(([until, end]) => [until, end - steadyMs]));
  }

  forget(application: string): void {
    this.#ends.delete(application);
  }
}

/**
 * How long children have been about to leave or move, by Application. Kept only in memory: after a restart the time
 * starts at 0, so nothing is removed too early.
 */
export class Unmatched {
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  /** Since when the last passes found the fates of an Application, by `fateText`, by the clock that nobody sets. */
  since(application: string): ReadonlyMap<string, number> {
    return this.#since.get(application) ?? new Map<string, number>();
  }

  /** Stores the fates that a pass found; those that it did not find again are forgotten. */
  remember(application: string, fates: readonly Fate[], steadyMs: number): void {
    const before = this.since(application);
    const now = fates.map((fate) => [fateText(fate), before.get(fateText(fate)) ?? steadyMs] as const);
    if (now.length === 0) this.forget(application);
    else this.#since.set(application, new Map(now));
  }

  /** All of them count from the next pass again, as for an Application that is gone or not decided about. */
  forget(application: string): void {
    this.#since.delete(application);
  }
}

/**
 * Releases that are being written, each with its Application: no other reconciliation can claim a release before the
 * child exists that holds it.
 */
export class Reservations {
  readonly #holders = new Map<string, Application>();

  /** Another Application that is about to hold a release. */
  otherOwner({ metadata }: Application, release: string): Application | undefined {
    const holder = this.#holders.get(release);
    return holder?.metadata.uid === metadata.uid ? undefined : holder;
  }

  /** Holds the releases as long as `work` takes. Nothing may be awaited since the look at them. */
  async during<T>(application: Application, releases: readonly string[], work: () => Promise<T>): Promise<T> {
    for (const release of releases) this.#holders.set(release, application);
    try {
      return await work();
    } finally {
      for (const release of releases) {
        if (this.#holders.get(release) === application) this.#holders.delete(release);
      }
    }
  }
}

/** Index of children by target: what they apply, and where. */
export const BY_TARGET = 'child-target';

/**
 * The targets that each Application looked up in its last pass, including those from templates and of all clusters. If
 * a child starts or stops applying to one of them, the Application is reconciled. Kept only in memory: after a restart,
 * every Application has a pass.
 */
export class AwaitedTargets {
  readonly #byApplication = new Map<string, Set<string>>();
  readonly #byTarget = new Map<string, Set<string>>();

  /** Call it before a pass looks up targets, and when an Application is deleted. */
  forget(application: string): void {
    for (const target of this.#byApplication.get(application) ?? []) {
      const keys = this.#byTarget.get(target);
      keys?.delete(application);
      if (keys?.size === 0) this.#byTarget.delete(target);
    }
    this.#byApplication.delete(application);
  }

  add(application: string, target: string): void {
    this.#byApplication.set(application, (this.#byApplication.get(application) ?? new Set()).add(target));
    this.#byTarget.set(target, (this.#byTarget.get(target) ?? new Set()).add(application));
  }

  /** The Applications that looked up a target of this child. */
  of(child: Child): string[] {
    return this.at(targetValues(child));
  }

  /** The Applications that looked up one of these targets. */
  at(targets: readonly string[]): string[] {
    return targets.flatMap((target) => [...(this.#byTarget.get(target) ?? [])]);
  }
}

/** The target that each child was last seen to apply. Kept only in memory, so it is empty after a restart. */
export class ProvenTargets {
  readonly #byUid = new Map<string, string>();

  of({ metadata }: Child): string | undefined {
    return this.#byUid.get(metadata.uid ?? '');
  }

  /** Call it for every change of a child. Returns the targets whose proof changed. */
  note({ type, object }: Change<Child>): string[] {
    const { uid = '' } = object.metadata;
    const before = this.#byUid.get(uid);
    const now = type === 'deleted' ? undefined : (provenTarget(object) ?? before);
    if (now === before) return [];
    if (now === undefined) this.#byUid.delete(uid);
    else this.#byUid.set(uid, now);
    return [before, now].filter((target) => target !== undefined);
  }
}

interface Around {
  readonly children: readonly Cache<Child>[];
  readonly reservations: Reservations;
  readonly awaited: AwaitedTargets;
  readonly proven: ProvenTargets;
}

/** Looks up targets, and remembers them: a later change at one of them reconciles the Application. */
export function targetsOf(application: Application, { children, reservations, awaited, proven }: Around): Targets {
  const key = keyOf(application.metadata);
  awaited.forget(key);
  return {
    childrenAt: (value) => {
      awaited.add(key, value);
      return children.flatMap((cache) => cache.byIndex(BY_TARGET, value));
    },
    provenOf: (child) => proven.of(child),
    claimantOf: (value) => reservations.otherOwner(application, targetClaim(application, value)),
  };
}
