import type { DestinationView } from '#queries/views/application-view.js';
import { isOnHost, newestLast, timeOf, type EventView, type NewestEvents } from '#queries/views/event-view.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import { reachableFirst } from '../../parts/model/reading-order.js';

/** As the API says it. */
export interface EventsAnswer extends NewestEvents {
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
export interface MergedEvents extends Pick<EventsAnswer, 'events' | 'more' | 'problems'> {
  /** False: there may be more than `more`, as nobody knows which of them several answers left out. */
  readonly isMoreExact: boolean;
  /** Clusters that have not answered yet. */
  readonly waiting: readonly string[];
}

/** Clusters that are read without being asked for: each of them has the host asked as well. */
const FIRST = 8;

function clustersOf(destinations: readonly DestinationView[]): string[] {
  return [...new Set(destinations.map(({ cluster }) => cluster))].filter((cluster) => cluster !== '');
}

/**
 * Which clusters are read at first, and which only when somebody wants to, in the order in which they are read: what
 * fails is among the first.
 */
export function clustersToRead(destinations: readonly DestinationView[]): { first: string[]; others: string[] } {
  const isBad = ({ state }: DestinationView): boolean => meaningOf(state) === 'bad';
  const [bad, well] = [destinations.filter(isBad), destinations.filter((each) => !isBad(each))];
  const first = new Set(clustersOf([...reachableFirst(bad), ...well]).slice(0, FIRST));
  const inTurn = clustersOf(reachableFirst([...bad, ...well]));
  return { first: inTurn.filter((each) => first.has(each)), others: inTurn.filter((each) => !first.has(each)) };
}

function later(a: EventView, b: EventView): EventView {
  const newer = timeOf(b) > timeOf(a) ? b : a;
  return { ...newer, count: Math.max(a.count, b.count) };
}

/** Those of the Application come with each answer, and may have been counted on meanwhile. */
function onHost(answers: readonly EventsAnswer[]): EventView[] {
  const found = new Map<string, EventView>();
  const unnamed: EventView[] = [];
  for (const event of answers.flatMap(({ events }) => events.filter(isOnHost))) {
    const known = found.get(event.uid);
    if (event.uid === '') unnamed.push(event);
    else found.set(event.uid, known === undefined ? event : later(known, event));
  }
  return [...found.values(), ...unnamed];
}

/** Of the host, one answer alone may know of more than all of them show; what two left out may be the same. */
function leftOut(answers: readonly EventsAnswer[], shownOnHost: number): Pick<MergedEvents, 'more' | 'isMoreExact'> {
  const ofClusters = answers.reduce((sum, { more, moreOnHost }) => sum + more - moreOnHost, 0);
  const known = answers.map(({ events, moreOnHost }) => events.filter(isOnHost).length + moreOnHost);
  const isMoreExact = answers.length < 2 || answers.every(({ moreOnHost }) => moreOnHost === 0);
  return { more: ofClusters + Math.max(shownOnHost, ...known) - shownOnHost, isMoreExact };
}

function problemsOf({ cluster, value, isReading, problem }: ClusterEvents): readonly string[] {
  const own = problem === undefined || isReading ? [] : [cluster === '' ? problem.text : `${cluster}: ${problem.text}`];
  return [...own, ...(value?.problems ?? [])];
}

/** What there is, whoever has not answered yet. */
export function mergedEvents(reads: readonly ClusterEvents[]): MergedEvents {
  const answers = reads.flatMap(({ value }) => value ?? []);
  const host = onHost(answers);
  const ofClusters = answers.flatMap(({ events }) => events.filter((event) => !isOnHost(event)));
  const { events, more } = newestLast([...host, ...ofClusters]);
  const before = leftOut(answers, host.length);
  return {
    events,
    ...{ more: more + before.more, isMoreExact: before.isMoreExact },
    problems: [...new Set(reads.flatMap(problemsOf))],
    waiting: reads.filter(({ value, isReading }) => value === undefined && isReading).map(({ cluster }) => cluster),
  };
}

/** Empty where all are shown. */
export function leftOutWords({ more, isMoreExact }: Pick<MergedEvents, 'more' | 'isMoreExact'>): string {
  if (isMoreExact) return more === 0 ? '' : `${more} older ones are left out`;
  return more === 0 ? 'older ones may be left out' : `at least ${more} older ones are left out`;
}
