import { targetEdits, type DestinationForm, type Target } from './application-form.js';
import { keptAt, type Left } from './kept-ways.js';
import type { Edit } from './yaml-edit.js';

/** Of one destination: how it named its cluster in each way when that was left. */
export type KeptTargets = Map<Target, { readonly left: Left; readonly destination: DestinationForm }>;

/** To name the cluster in another way: a name that was changed meanwhile counts, else what this way had. */
export function chooseTarget(kept: KeptTargets, left: Left, destination: DestinationForm, to: Target): Edit[] {
  kept.set(destination.target, { left, destination });
  const edits = targetEdits(destination, to);
  const was = kept.get(to);
  if (was === undefined || to === 'here') return edits;
  const isOther = destination.cluster !== '' && destination.cluster !== was.destination.cluster;
  if (isOther && to !== 'clusterSelector') return edits;
  const [from, place] = [was.destination, destination].map(({ path }) => [...path, 'destination', to]);
  return from === undefined ? edits : [...edits, keptAt(was.left, from, place)];
}
