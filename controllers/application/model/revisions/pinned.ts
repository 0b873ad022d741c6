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
}

/** The earlier revision that an entry is pinned to, if any. */
export function pinOf({ clusterName }: Entry, { pins, history }: Revisions): number | undefined {
  const pin = pins.clusters.get(clusterName) ?? pins.all;
  return pin === history.current ? undefined : pin;
}

/**
 * The desired children with the pinned ones at their revisions. Which destinations there are is said by the spec as it
 * is now.
 */
export function withPins(
  desired: readonly DesiredChild[],
  revisions: Revisions,
  at: EarlierRevisions,
): readonly DesiredChild[] {
  const { problem } = revisions.pins;
  if (problem !== undefined) return desired.map((each) => unchanged(each, problem));
  return desired.map((each) => {
    const pin = pinOf(each.entry, revisions);
    return pin === undefined ? each : at.desired(pin, each);
  });
}
