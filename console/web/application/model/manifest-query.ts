import type { DestinationView } from '#queries/answers/application.js';
import type { ManifestObject, ManifestView } from '#queries/answers/members.js';
import { queryText, textsIn } from '../../navigation/model/query.js';
import { clusterName } from '../../parts/model/destinations.js';

/** Which manifest is shown; it is kept in the URL, so that it can be shared. */
export interface ManifestQuery {
  /** Of the destination, as its status names it; empty: the first one. */
  readonly child: string;
  /** Part of kind, namespace or name. */
  readonly search: string;
}

/** More is no name. */
const MOST_CHARACTERS = 1_024;

/** Reads the query of a URL, without `?`. */
export function manifestQueryOf(search: string): ManifestQuery {
  return textsIn(search, ['child', 'search'], MOST_CHARACTERS);
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function manifestSearchOf({ child, search }: ManifestQuery): string {
  return queryText({ child, search });
}

/** The destination that is asked for, or else the first one that has something deployed. */
export function chosenDestination<T extends Pick<DestinationView, 'child'>>(
  destinations: readonly T[],
  { child }: ManifestQuery,
): T | undefined {
  const deployed = destinations.filter((each) => each.child !== '');
  return child === '' ? deployed[0] : deployed.find((each) => each.child === child);
}

/** As one line of a list of destinations. */
export function destinationText({ cluster, namespace, release, child }: DestinationView): string {
  return `${clusterName(cluster)}: ${release === '' ? child : `${namespace}/${release}`}`;
}

/** What names an object. */
type Named = Pick<ManifestObject, 'kind' | 'namespace' | 'name'>;

export function objectText({ kind, namespace, name }: Named): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** Those that have the text in kind, namespace or name. */
export function objectsWith<T extends Named>(search: string, objects: readonly T[]): readonly T[] {
  const text = search.toLowerCase();
  return text === '' ? objects : objects.filter((object) => objectText(object).toLowerCase().includes(text));
}

/** All of it as one file. */
export function manifestFile({ objects }: Pick<ManifestView, 'objects'>): string {
  return objects
    .map((object) => {
      const { yaml, problem } = object;
      return yaml === '' ? `---\n# ${objectText(object)}: ${problem.replaceAll(/\s+/g, ' ')}\n` : `---\n${yaml}`;
    })
    .join('');
}

/** A name that every file system takes. */
export function manifestFileName({ name }: { readonly name: string }, cluster: string): string {
  return `${name}-${cluster}`.replaceAll(/[^A-Za-z0-9.-]+/g, '-').slice(0, 100) + '.yaml';
}
