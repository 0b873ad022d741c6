import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { listed } from '#lib/text/text.js';
import { clusterNameIn } from '../child/cluster.js';
import type { Selection } from './expand.js';

/** The most of all entries together: the status keeps small. */
const LISTED = 50;
const WHY = 'named in exclude';

type Status = NonNullable<ApplicationStatus['clusters']>;

/** The clusters that selectors of an Application in `namespace` chose, for its status; undefined: it has none. */
export function selectionStatus(
  selections: readonly Selection[],
  namespace: string | undefined,
): ApplicationStatus['clusters'] {
  if (selections.length === 0) return undefined;
  let room = LISTED;
  const selectors = selections.map(({ path, matched, excluded }): Status['selectors'][number] => {
    const names = excluded.map(({ id }) => clusterNameIn(namespace, id)).slice(0, room);
    room -= names.length;
    const listed = names.length === 0 ? {} : { excluded: names.map((cluster) => ({ cluster, why: WHY })) };
    return { entry: path, matched: matched.length, ...listed };
  });
  const excluded = selections.reduce((sum, selection) => sum + selection.excluded.length, 0);
  return {
    matched: selections.reduce((sum, { matched }) => sum + matched.length, 0),
    excluded,
    selectors,
    ...(excluded > LISTED ? { truncated: true } : {}),
  };
}

const NAMED = 5;

function warningsOf({ path, matched, unknown }: Selection): string[] {
  const field = `${path}.destination.clusterSelector`;
  const names = unknown.map((name) => JSON.stringify(name));
  return [
    ...(matched.length > 0 ? [] : [`${field}: no cluster matches`]),
    ...(unknown.length === 0 ? [] : [`${field}.exclude: no matching cluster is called ${listed(names, NAMED)}`]),
  ];
}

/** Warnings about selectors; `lost`: why clusters may be missing. */
export function selectionWarnings(selections: readonly Selection[], lost: readonly string[]): string[] {
  if (selections.length === 0) return [];
  return [...selections.flatMap(warningsOf), ...lost.map((why) => `clusters may be missing: ${why}`)];
}
