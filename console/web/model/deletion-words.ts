import type { ReadApplication } from '#console/server/model/application-detail.js';
import type { DestinationView } from '#controllers/read-model/application-view.js';

/** What a deletion does, as a person reads it before. */
export interface DeletionWords {
  /** True: what runs goes. */
  readonly uninstalls: boolean;
  /** The whole in one sentence. */
  readonly summary: string;
  /** What is not as somebody may expect it. */
  readonly warnings: readonly string[];
}

function counted(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number} ${many}`;
}

function warningsOf(destinations: readonly DestinationView[]): string[] {
  const count = (wanted: string): number => destinations.filter(({ state }) => state === wanted).length;
  const [suspended, unreachable] = [count('Suspended'), count('Unreachable')];
  return [
    ...(suspended === 0
      ? []
      : [`${counted(suspended, 'destination is', 'destinations are')} suspended: what runs there is left behind.`]),
    ...(unreachable === 0
      ? []
      : [
          `${counted(unreachable, 'destination is', 'destinations are')} unreachable: the deletion waits until ` +
            'the cluster answers or is abandoned.',
        ]),
  ];
}

/** `keep`: the user wants what runs to stay, whatever the Application says. */
export function deletionWords({ destinations, ready, spec }: ReadApplication, keep: boolean): DeletionWords {
  const clusters = new Set(destinations.map(({ cluster }) => cluster)).size;
  const policy = spec.deletionPolicy ?? 'Delete';
  // The status lists the worst of thousands only.
  const releases = Math.max(destinations.length, Number(/\d+$/.exec(ready)?.[0] ?? 0));
  const places = `${counted(releases, 'release', 'releases')} on ${counted(clusters, 'cluster', 'clusters')}`;
  if (releases === 0) {
    return { uninstalls: false, summary: 'Its status names nothing that was deployed.', warnings: [] };
  }
  if (keep || policy === 'Orphan') {
    const why = keep ? 'as you chose' : 'because its deletionPolicy is Orphan';
    return { uninstalls: false, summary: `${places} keep running, ${why}.`, warnings: [] };
  }
  const summary = `${places} are uninstalled (deletionPolicy ${policy}).`;
  return { uninstalls: true, summary, warnings: warningsOf(destinations) };
}
