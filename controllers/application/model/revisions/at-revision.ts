import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION } from '#api/v1alpha1/labels.js';
import { backendOf } from '../backends/index.js';
import { isAt, isInstalledFor, isUnmanaged } from '../child/metadata.js';
import type { Child, DesiredChild, Entry, Hold } from '../child/types.js';
import { desiredChild } from '../children/desired.js';
import type { SameTargets } from '../children/same-target.js';
import type { Destination, EarlierSpec, WorldRevisions } from '../children/world.js';
import { moves, newReinstallationOf, placeText } from '../destinations/identity.js';
import { gateViolation } from '../destinations/personal-values.js';
import { rejectedEntries } from '../destinations/rejected.js';
import { parseRevision, whyUnkept } from '../spec/history.js';

export interface RevisionInput {
  readonly destinations: readonly Destination[];
  readonly same: Pick<SameTargets, 'violationOf'>;
}

interface Around extends Pick<RevisionInput, 'same'> {
  /** By `placeText`: other owners of the releases of entries. */
  readonly owners: ReadonlyMap<string, string>;
}

/** Under the names that the spec has for it now. */
function underItsName(earlier: Entry, { path, specPath, name, key, consoleKey, clusterName, names }: Entry): Entry {
  return { ...earlier, path, specPath, name, key, consoleKey, clusterName, names };
}

/** What stays as it is: it neither moves nor makes room. */
export function unchanged(desired: DesiredChild, held: string): DesiredChild {
  return { ...desired, object: desired.live ?? desired.object, held };
}

/** Why nothing of what is wanted is written: it is of a revision that could not be kept. */
export function unkeptIn({ object }: DesiredChild, revisions: WorldRevisions | undefined): string | undefined {
  if (revisions?.unkept === undefined) return undefined;
  return parseRevision(object.metadata.annotations?.[APPLICATION_REVISION]) === revisions.history.current
    ? whyUnkept(revisions.history)
    : undefined;
}

/** By cluster: why a child without an entry stays there. What replaces it may be held, or not be kept. */
export function heldClusters(
  desired: readonly DesiredChild[],
  revisions: WorldRevisions | undefined,
): ReadonlyMap<string, string> {
  const whyHeld = (each: DesiredChild): string | undefined =>
    each.held ?? (isAt(each.live, each) ? undefined : unkeptIn(each, revisions));
  const held = desired.flatMap((each) => {
    const why = whyHeld(each);
    return why === undefined ? [] : [[each.entry.release.cluster, why] as const];
  });
  return new Map(held.map(([cluster, why]) => [cluster, `because a destination on its cluster is held: ${why}`]));
}

/** Its difference to what is wanted now, so that a new child is not created as it was; undefined: it has none. */
function differenceOf(now: Child, earlier: Child): string | undefined {
  if (moves(now, earlier)) return 'in another namespace';
  const [one, other] = [now, earlier].map((child) => backendOf(child).chartOf(child));
  return one === undefined || other === undefined || one === other ? undefined : 'with another chart';
}

/** Puts destinations at one earlier revision. */
class AtRevision {
  readonly #around: Around & { readonly number: number; readonly application: Application };
  /** Entries by cluster and release: going back to a revision never moves, renames or reinstalls a release. */
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #rejected: ReadonlyMap<Entry, string>;

  constructor(number: number, { application, entries, violations }: EarlierSpec, around: Around) {
    this.#around = { ...around, number, application };
    this.#entries = new Map(entries.map((entry) => [placeText(entry), entry]));
    const rejected = rejectedEntries(
      entries,
      (entry) => around.owners.get(placeText(entry)),
      ({ path }) => violations.get(path),
    );
    this.#rejected = new Map(rejected.map(({ entry, violation }) => [entry, violation.message]));
  }

  desired(now: DesiredChild): DesiredChild {
    const { entry, live } = now;
    const { same, owners, number, application } = this.#around;
    const found = this.#entries.get(placeText(entry));
    if (found === undefined) return unchanged(now, `revision ${number} does not have this destination`);
    const owner = owners.get(placeText(entry));
    const violation = gateViolation(found, live) ?? same.violationOf({ entry: found, live, owner }, application);
    const problem = this.#rejected.get(found) ?? violation?.message;
    if (problem !== undefined) return unchanged(now, `revision ${number}: ${problem}`);
    const { name } = now.object.metadata;
    const earlier = desiredChild(application, underItsName(found, entry), live, { name, revision: number });
    const other = live === undefined ? differenceOf(now.object, earlier.object) : undefined;
    if (other !== undefined) return unchanged(now, `revision ${number} has it ${other}`);
    const moved = live && newReinstallationOf(live, earlier.object);
    if (moved === undefined) return earlier;
    return unchanged(now, `revision ${number} would uninstall it first (${moved.why}): change the spec to do that`);
  }
}

/** Puts destinations at earlier revisions. What cannot be put there is left unchanged, and says why. */
export class EarlierRevisions {
  readonly #earlier: WorldRevisions['earlier'];
  readonly #around: Around;
  readonly #known = new Map<number, AtRevision>();

  constructor(earlier: WorldRevisions['earlier'], { destinations, same }: RevisionInput) {
    this.#earlier = earlier;
    const owners = destinations.flatMap(({ entry, owner }) =>
      entry === undefined || owner === undefined ? [] : [[placeText(entry), owner] as const],
    );
    this.#around = { same, owners: new Map(owners) };
  }

  desired(number: number, now: DesiredChild): DesiredChild {
    const found = this.#earlier.get(number);
    if (found === undefined) return unchanged(now, `revision ${number} is not kept`);
    if ('problem' in found) return unchanged(now, found.problem);
    const at = this.#known.get(number) ?? new AtRevision(number, found, this.#around);
    this.#known.set(number, at);
    return at.desired(now);
  }

  /**
   * A held destination keeps the revision that it has, and is healed to it. `otherwise`: the revision of a child that
   * does not say which one it has.
   */
  held(now: DesiredChild, why: string, otherwise?: number): DesiredChild {
    const { live } = now;
    const revision = live && (parseRevision(live.metadata.annotations?.[APPLICATION_REVISION]) ?? otherwise);
    const own = revision === undefined ? undefined : this.desired(revision, now);
    // What the facts of its cluster changed meanwhile waits as well.
    return own !== undefined && isAt(live, own) ? { ...own, waits: why } : unchanged(now, why);
  }
}

/** See `WorldRevisions`. */
type Revisions = Pick<WorldRevisions, 'history' | 'pins' | 'waits'>;

/** The earlier revision that an entry is pinned to, if any. */
export function pinOf({ clusterName }: Entry, { pins, history, waits }: Revisions): number | undefined {
  const pin = pins.clusters.get(clusterName) ?? pins.all;
  return pin === history.current && waits === undefined ? undefined : pin;
}

/** The pin that holds an entry; undefined: it has none. */
export function pinHold(entry: Entry, revisions: Revisions): Hold | undefined {
  const { problem } = revisions.pins;
  if (problem !== undefined) return { reason: 'Pinned', why: problem };
  const pin = pinOf(entry, revisions);
  return pin === undefined ? undefined : { reason: 'Pinned', why: `pinned to revision ${pin}` };
}

/**
 * The desired children with the pinned ones at their revisions, except what was installed once and is not managed any
 * more. The spec as it is now says which destinations there are.
 */
export function withPins(
  desired: readonly DesiredChild[],
  revisions: Revisions,
  at: EarlierRevisions,
): readonly DesiredChild[] {
  const { pins, waits } = revisions;
  const { problem } = pins;
  return desired.map((each) => {
    const behind = pinHold(each.entry, revisions);
    if (problem !== undefined) return { ...unchanged(each, problem), behind };
    // It belongs to the users of its cluster now, whatever an earlier revision says.
    if (isInstalledFor(each.entry, each.live) && isUnmanaged(each.live)) return each;
    const pin = pinOf(each.entry, revisions);
    if (pin !== undefined) return { ...at.desired(pin, each), behind };
    return waits === undefined ? each : { ...at.held(each, waits), later: each.object };
  });
}
