import type { Entry } from '#controllers/application/model/child/types.js';
import { listed } from '#lib/listed.js';
import { PreviewError } from './preview-error.js';

/** Clusters that an error names. */
const NAMED = 10;

/** What is asked of the destinations of an Application. */
export interface Asked {
  /** Only on this cluster, as the status names it; undefined: on all. */
  readonly cluster?: string | undefined;
}

/** The entries that are asked for. Throws a PreviewError if there are none on the cluster. */
export function askedEntries(entries: readonly Entry[], { cluster }: Asked): readonly Entry[] {
  const asked = entries.filter((entry) => cluster === undefined || entry.clusterName === cluster);
  if (cluster !== undefined && asked.length === 0) {
    const names = [...new Set(entries.map(({ clusterName }) => clusterName))];
    const known = names.length === 0 ? 'it has none' : `choose one of ${listed(names, NAMED)}`;
    throw new PreviewError('NoDestination', `the Application has no destination on it; ${known}`);
  }
  return asked;
}
