import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { clusterNameIn } from './cluster-name.js';
import type { Selection } from './expand.js';

/** Of all entries together: the status keeps small. */
const LISTED = 50;
const WHY = 'named in exclude';

type Status = NonNullable<ApplicationStatus['clusters']>;

/** What the selectors of an Application in `namespace` chose, for its status; undefined without selectors. */
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
