import type { Entry } from '../application/model/types.js';
import { listed } from '../runtime/pure/listed.js';
import { printJson } from '../runtime/pure/lossless-json.js';
import { PreviewError } from './preview-error.js';

/** Clusters that an error names. */
const NAMED = 10;

/** What is asked of the destinations of an Application. */
export interface Asked {
  /** Only on this cluster, as the status names it; undefined: on all. */
  readonly cluster?: string | undefined;
  /** Characters of what all destinations state; default: any number. */
  readonly mostCharacters?: number | undefined;
}

/** The same for all destinations of an entry of the spec. */
function charactersOf(entries: readonly Entry[]): number {
  const lengths = new Map<string, number>();
  return entries.reduce((sum, { specPath, fields, values }) => {
    const length = lengths.get(specPath) ?? printJson([fields, values ?? null]).length;
    lengths.set(specPath, length);
    return sum + length;
  }, 0);
}

/** The entries that are asked for. Throws a PreviewError if there are none on the cluster, or too many. */
export function askedEntries(
  entries: readonly Entry[],
  { cluster, mostCharacters = Infinity }: Asked,
): readonly Entry[] {
  const asked = entries.filter((entry) => cluster === undefined || entry.clusterName === cluster);
  if (cluster !== undefined && asked.length === 0) {
    const names = [...new Set(entries.map(({ clusterName }) => clusterName))];
    const known = names.length === 0 ? 'it has none' : `choose one of ${listed(names, NAMED)}`;
    throw new PreviewError('NoDestination', `the Application has no destination on it; ${known}`);
  }
  if (mostCharacters === Infinity || charactersOf(asked) <= mostCharacters) return asked;
  const wayOut = cluster === undefined ? '; ask for one cluster' : '';
  throw new PreviewError('TooLarge', `what its ${asked.length} destinations state is too much for one answer${wayOut}`);
}
