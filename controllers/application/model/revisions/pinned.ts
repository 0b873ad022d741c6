import type { Application } from '#api/v1alpha1/application.js';
import { desiredChild } from '../desired.js';
import { releaseKeyText } from '../identity.js';
import { matchChildren } from '../match.js';
import { rejectedEntries, type FindOwner } from '../reject.js';
import type { Child, DesiredChild, Entry } from '../types.js';
import type { Valid } from '../validate.js';
import type { HistoryPlan } from './history.js';
import type { Pins } from './pins.js';

/** What an earlier revision wants, or why that is not known. */
export type Earlier = Valid | { readonly problem: string };

/** The history of an Application, as far as a pass needs it. */
export interface Revisions {
  readonly history: HistoryPlan;
  readonly pins: Pins;
  /** By number: those that are pinned. */
  readonly earlier: ReadonlyMap<number, Earlier>;
}

interface Input {
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
function unchanged(desired: DesiredChild, held: string): DesiredChild {
  return { ...desired, object: desired.live ?? desired.object, held };
}

/** Puts destinations at one earlier revision. */
class AtRevision {
  readonly #application: Application;
  readonly #find: FindEntry;
  readonly #rejected: ReadonlyMap<Entry, string>;

  constructor(
    readonly number: number,
    valid: Valid,
    private readonly input: Input,
  ) {
    this.#application = valid.resolved.application;
    this.#find = counterparts(valid, input.owned);
    const rejected = rejectedEntries(valid.entries, input.otherOwnerOf, valid.violationOf, new Map());
    this.#rejected = new Map(rejected.map(({ entry, violation }) => [entry, violation.message]));
  }

  desired(now: DesiredChild): DesiredChild {
    const { entry, live } = now;
    const found = this.#find(entry, live);
    if (found === undefined) return unchanged(now, `revision ${this.number} does not have this destination`);
    const problem = this.#rejected.get(found);
    if (problem !== undefined) return unchanged(now, `revision ${this.number}: ${problem}`);
    const named = underItsName(found, entry);
    return desiredChild(this.#application, named, live, { isTaken: this.input.isTaken, revision: this.number });
  }
}

/**
 * The desired children with the pinned ones at their revisions. Which destinations there are is said by the spec as it
 * is now; what cannot be put at its revision is left unchanged.
 */
export function withPins(
  desired: readonly DesiredChild[],
  { history, pins, earlier }: Revisions,
  input: Input,
): readonly DesiredChild[] {
  const { problem } = pins;
  if (problem !== undefined) return desired.map((each) => unchanged(each, problem));
  const known = new Map<number, AtRevision>();
  for (const [number, each] of earlier) {
    if (!('problem' in each)) known.set(number, new AtRevision(number, each, input));
  }
  return desired.map((each) => {
    const pin = pins.clusters.get(each.entry.clusterName) ?? pins.all;
    if (pin === undefined || pin === history.current) return each;
    const found = earlier.get(pin);
    if (found !== undefined && 'problem' in found) return unchanged(each, found.problem);
    return known.get(pin)?.desired(each) ?? unchanged(each, `revision ${pin} is not kept`);
  });
}
