import type { Application } from '#api/v1alpha1/application.js';
import type { Cache, Change } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import { provenTarget, targetClaim, type Targets, targetValues } from './model/children/same-target.js';
import type { Child } from './model/child/types.js';
import type { Reservations } from './reservations.js';

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
