import { isInstalledFor } from '../once.js';
import { isUnmanaged } from '../suspension.js';
import type { DesiredChild, Entry } from '../types.js';
import { unchanged, type Earlier, type EarlierRevisions } from './at-revision.js';
import type { HistoryPlan } from './history.js';
import type { Pins } from './pins.js';

/** The history of an Application, as far as a pass needs it. */
export interface Revisions {
  readonly history: HistoryPlan;
  readonly pins: Pins;
  /** By number. */
  readonly earlier: ReadonlyMap<number, Earlier>;
  /** Milliseconds until the values of earlier revisions are to be made again. */
  readonly retryAfterMs?: number | undefined;
  /** Why the spec is no revision yet: what has an earlier one keeps it. */
  readonly waits?: string | undefined;
}

/** The earlier revision that an entry is pinned to, if any. */
export function pinOf({ clusterName }: Entry, { pins, history, waits }: Revisions): number | undefined {
  const pin = pins.clusters.get(clusterName) ?? pins.all;
  return pin === history.current && waits === undefined ? undefined : pin;
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
  if (problem !== undefined) return desired.map((each) => unchanged(each, problem));
  return desired.map((each) => {
    // It belongs to the users of its cluster now, whatever an earlier revision says.
    if (isInstalledFor(each.entry, each.live) && isUnmanaged(each.live)) return each;
    const pin = pinOf(each.entry, revisions);
    if (pin !== undefined) return at.desired(pin, each);
    return waits === undefined ? each : { ...at.held(each, waits), later: each.object };
  });
}
