import type { DestinationView } from '#controllers/read-model/application-view.js';
import { newestLast, type EventView } from '#controllers/read-model/event-view.js';
import { meaningOf } from '#controllers/read-model/state-meaning.js';

/** As the API says it. */
export interface EventsAnswer {
  /** The newest last. */
  readonly events: readonly EventView[];
  readonly more: number;
  readonly problems: readonly string[];
}

/** What one cluster said, as far as it did. */
export interface ClusterEvents {
  readonly cluster: string;
  readonly value?: EventsAnswer;
  readonly isReading: boolean;
  /** Why the server said nothing. */
  readonly problem?: { readonly text: string };
}

/** Of all of them. */
export interface MergedEvents extends EventsAnswer {
  /** Clusters that have not answered yet. */
  readonly waiting: readonly string[];
}

/** Clusters that are read without being asked for: each of them has the host asked as well. */
const FIRST = 8;

/** Which clusters are read at first, and which only when somebody wants to: what fails is among the first. */
export function clustersToRead(destinations: readonly DestinationView[]): { first: string[]; others: string[] } {
  const isBad = ({ state }: DestinationView): boolean => meaningOf(state) === 'bad';
  const ordered = [...destinations.filter(isBad), ...destinations.filter((each) => !isBad(each))];
  const clusters = [...new Set(ordered.map(({ cluster }) => cluster))].filter((cluster) => cluster !== '');
  return { first: clusters.slice(0, FIRST), others: clusters.slice(FIRST) };
}

/** Those of the Application come with each answer, and may have been counted on meanwhile. */
function onceEach(ofHost: readonly EventView[]): EventView[] {
  const found = new Map<string, EventView>();
  for (const event of ofHost) {
    const key = JSON.stringify([event.object, event.type, event.reason, event.message]);
    const known = found.get(key);
    if (known === undefined || event.count > known.count) found.set(key, event);
  }
  return [...found.values()];
}

function problemsOf({ cluster, value, isReading, problem }: ClusterEvents): readonly string[] {
  const own = problem === undefined || isReading ? [] : [cluster === '' ? problem.text : `${cluster}: ${problem.text}`];
  return [...own, ...(value?.problems ?? [])];
}

/** What there is, whoever has not answered yet. */
export function mergedEvents(reads: readonly ClusterEvents[]): MergedEvents {
  const all = reads.flatMap(({ value }) => value?.events ?? []);
  const ofHost = onceEach(all.filter(({ cluster }) => cluster === ''));
  const { events, more } = newestLast([...ofHost, ...all.filter(({ cluster }) => cluster !== '')]);
  return {
    events,
    more: reads.reduce((sum, { value }) => sum + (value?.more ?? 0), more),
    problems: [...new Set(reads.flatMap(problemsOf))],
    waiting: reads.filter(({ value, isReading }) => value === undefined && isReading).map(({ cluster }) => cluster),
  };
}
