import type { Application } from '#api/v1alpha1/application.js';
import { gateViolation } from '../clusters/gate.js';
import { desiredChild } from '../desired.js';
import { releaseKeyText } from '../identity.js';
import { matchChildren } from '../match.js';
import { rejectedEntries, type FindOwner } from '../reject.js';
import type { Child, DesiredChild, Entry } from '../types.js';
import type { Valid } from '../validate.js';

/** What an earlier revision wants, or why that is not known. */
export type Earlier = Valid | { readonly problem: string };

export interface RevisionInput {
  readonly owned: readonly Child[];
  readonly isTaken: (name: string) => boolean;
  readonly otherOwnerOf: FindOwner;
}

/** The entry of an earlier revision for the child that an entry has now, or for its release. */
type FindEntry = (entry: Entry, live: Child | undefined) => Entry | undefined;

function placeOf({ release, clusterName }: Entry): string {
  return JSON.stringify([releaseKeyText(release), clusterName]);
}

/** On the same cluster only: a revision never moves a release. */
function counterparts({ entries }: Valid, owned: readonly Child[]): FindEntry {
  const byChild = new Map([...matchChildren(entries, owned).childOf].map(([entry, child]) => [child, entry]));
  const byPlace = new Map(entries.map((entry) => [placeOf(entry), entry]));
  return (entry, live) => {
    const found = (live === undefined ? undefined : byChild.get(live)) ?? byPlace.get(placeOf(entry));
    return found?.release.cluster === entry.release.cluster ? found : undefined;
  };
}

/** Under the names that the spec has for it now. */
function underItsName(earlier: Entry, { path, specPath, name, key, consoleKey, clusterName }: Entry): Entry {
  return { ...earlier, path, specPath, name, key, consoleKey, clusterName };
}

/** What stays as it is: it neither moves nor makes room. */
export function unchanged(desired: DesiredChild, held: string): DesiredChild {
  return { ...desired, object: desired.live ?? desired.object, held };
}

/** Puts destinations at one earlier revision. */
class AtRevision {
  readonly #number: number;
  readonly #around: RevisionInput;
  readonly #application: Application;
  readonly #find: FindEntry;
  readonly #rejected: ReadonlyMap<Entry, string>;

  constructor(number: number, valid: Valid, around: RevisionInput) {
    this.#number = number;
    this.#around = around;
    this.#application = valid.resolved.application;
    this.#find = counterparts(valid, around.owned);
    const rejected = rejectedEntries(valid.entries, around.otherOwnerOf, valid.violationOf, new Map());
    this.#rejected = new Map(rejected.map(({ entry, violation }) => [entry, violation.message]));
  }

  desired(now: DesiredChild): DesiredChild {
    const { entry, live } = now;
    const found = this.#find(entry, live);
    if (found === undefined) return unchanged(now, `revision ${this.#number} does not have this destination`);
    const problem = this.#rejected.get(found) ?? gateViolation(found, live)?.message;
    if (problem !== undefined) return unchanged(now, `revision ${this.#number}: ${problem}`);
    const { isTaken } = this.#around;
    return desiredChild(this.#application, underItsName(found, entry), live, { isTaken, revision: this.#number });
  }
}

/** Puts destinations at earlier revisions. What cannot be put there is left unchanged, and says why. */
export class EarlierRevisions {
  readonly #earlier: ReadonlyMap<number, Earlier>;
  readonly #around: RevisionInput;
  readonly #known = new Map<number, AtRevision>();

  constructor(earlier: ReadonlyMap<number, Earlier>, around: RevisionInput) {
    this.#earlier = earlier;
    this.#around = around;
  }

  desired(number: number, now: DesiredChild): DesiredChild {
    const found = this.#earlier.get(number);
    if (found === undefined) return unchanged(now, `revision ${number} is not kept`);
    if ('problem' in found) return unchanged(now, found.problem);
    const at = this.#known.get(number) ?? new AtRevision(number, found, this.#around);
    this.#known.set(number, at);
    return at.desired(now);
  }
}
