import { abandonedNames, EVERY_CLUSTER } from '#api/v1alpha1/labels.js';
import { knownState } from '#api/v1alpha1/states.js';
import type { DestinationView, ReadApplication } from '#queries/answers/application.js';
import { applicationOf } from './offers.js';

/** What a deletion does, as a person reads it before. */
export interface DeletionWords {
  /** True: what runs goes. */
  readonly uninstalls: boolean;
  /** Where it goes, each once. */
  readonly clusters: readonly string[];
  /** The whole in one sentence. */
  readonly summary: string;
  /** What is not as somebody may expect it. */
  readonly warnings: readonly string[];
}

/** What becomes of what runs at a destination, as far as the status says it: `uninstalled`, or why not at once. */
type End = 'uninstalled' | 'abandoned' | 'suspended' | 'unmanaged' | 'dryRun' | 'replaced' | 'unreachable';

/** Why it stays, and why it goes all the same, or late, as `they are ...`. */
const STAYS: Readonly<Partial<Record<End, string>>> = {
  suspended: 'suspended: what runs there is left behind',
  unmanaged: 'unmanaged, as it was installed once: what runs there is left behind',
  abandoned: 'on an abandoned cluster: nothing is uninstalled there, and nobody waits for it',
};
const GOES: Readonly<Partial<Record<End, string>>> = {
  dryRun: 'only in a dry run: what runs there is uninstalled all the same',
  unreachable: 'unreachable: the deletion waits until the cluster answers or is abandoned',
  replaced: 'on a cluster that was replaced: the deletion waits until the new one is accepted or abandoned',
};
const WORDS = Object.entries({ ...STAYS, ...GOES });

function endOf({ cluster, state, dryRun, replaced }: DestinationView, abandoned: readonly string[]): End {
  if (abandoned.includes(EVERY_CLUSTER) || abandoned.includes(cluster)) return 'abandoned';
  if (replaced !== undefined) return 'replaced';
  return dryRun === true ? 'dryRun' : (knownState(state)?.deletion ?? 'uninstalled');
}

function counted(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${many}`;
}

function placesOf(releases: number, clusters: readonly string[], verb: readonly [one: string, many: string]): string {
  const places = `${counted(releases, 'release', 'releases')} on ${counted(clusters.length, 'cluster', 'clusters')}`;
  return `${places} ${releases === 1 ? verb[0] : verb[1]}`;
}

function clustersOf(destinations: readonly DestinationView[]): string[] {
  return [...new Set(destinations.map(({ cluster }) => cluster))].sort();
}

function warningsOf(ends: readonly End[]): string[] {
  return WORDS.flatMap(([wanted, words]) => {
    const count = ends.filter((end) => end === wanted).length;
    return count === 0 ? [] : [`${counted(count, 'destination is', 'destinations are')} ${words}.`];
  });
}

function kept(summary: string): DeletionWords {
  return { uninstalls: false, clusters: [], summary, warnings: [] };
}

/** `keep`: the user wants what runs to stay, whatever the Application says. */
export function deletionWords(detail: ReadApplication, keep: boolean): DeletionWords {
  const { destinations, ready, spec } = detail;
  const policy = spec.deletionPolicy ?? 'Delete';
  // The status lists the worst of thousands only.
  const releases = Math.max(destinations.length, Number(/\d+$/.exec(ready)?.[0] ?? 0));
  if (releases === 0) return kept('Its status names nothing that was deployed.');
  if (keep || policy === 'Orphan') {
    const why = keep ? 'as you chose' : 'because its deletionPolicy is Orphan';
    return kept(`${placesOf(releases, clustersOf(destinations), ['keeps running', 'keep running'])}, ${why}.`);
  }
  const abandoned = abandonedNames(applicationOf(detail));
  const ends = destinations.map((each) => endOf(each, abandoned));
  const isLeft = (end: End | undefined): boolean => end !== undefined && end in STAYS;
  const gone = releases - ends.filter(isLeft).length;
  const warnings = warningsOf(ends);
  if (gone === 0) return { ...kept('Nothing is uninstalled: what runs is left behind.'), warnings };
  const clusters = clustersOf(destinations.filter((_, index) => !isLeft(ends[index])));
  const places = placesOf(gone, clusters, ['is uninstalled', 'are uninstalled']);
  return { uninstalls: true, clusters, summary: `${places} (deletionPolicy ${policy}).`, warnings };
}
