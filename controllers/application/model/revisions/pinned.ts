import { isInstalledFor } from '../once.js';
import { isUnmanaged } from '../suspension.js';
import type { DesiredChild, Entry, Hold } from '../types.js';
import type { WorldRevisions } from '../world.js';
import { unchanged, type EarlierRevisions } from './at-revision.js';

/** See `WorldRevisions`. */
type Revisions = Pick<WorldRevisions, 'history' | 'pins' | 'waits'>;

/** The earlier revision that an entry is pinned to, if any. */
export function pinOf({ clusterName }: Entry, { pins, history, waits }: Revisions): number | undefined {
  const pin = pins.clusters.get(clusterName) ?? pins.all;
  return pin === history.current && waits === undefined ? undefined : pin;
}

/** What a pin has an entry wait for; undefined: it has none. */
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
