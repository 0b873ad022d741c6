import { isOnHost, newestLast, timeOf } from '#queries/views/event-view.js';
import type { DestinationView } from '#queries/answers/application.js';
import type { EventView, NewestEvents } from '#queries/answers/members.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import { queryText, textsIn } from '../../navigation/model/query.js';
import { pathTo } from '../../navigation/model/place.js';
import { reachableFirst } from '../../parts/model/destinations.js';

/** Which events are shown; it is kept in the URL, so that it can be shared. */
export interface EventQuery {
  /** Empty: all; `-`: those of the Application and its releases. */
  readonly cluster: string;
  /** `Normal` or `Warning`; empty: both. */
  readonly type: string;
  /** Part of object, reason or message. */
  readonly search: string;
}

/** As `fairlead events` writes the cluster of what is on the host. */
export const ON_HOST = '-';
export const ALL_EVENTS: EventQuery = { cluster: '', type: '', search: '' };
/** Reads the query of a URL, without `?`. */
export function eventQueryOf(search: string): EventQuery {
  return textsIn(search, ['cluster', 'type', 'search']);
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function eventSearchOf({ cluster, type, search }: EventQuery): string {
  return queryText({ cluster, type, search });
}

/** The page of the events of an Application, on one cluster. */
export function eventsPage({ namespace, name }: { namespace: string; name: string }, cluster: string): string {
  return `${pathTo('applicationView', { namespace, name, view: 'events' })}${eventSearchOf({ ...ALL_EVENTS, cluster })}`;
}

/** The events that are asked for, the newest first; `events` has it last. */
export function shownEvents(events: readonly EventView[], { cluster, type, search }: EventQuery): EventView[] {
  const text = search.toLowerCase();
  const wanted = cluster === ON_HOST ? '' : cluster;
  return events
    .filter(
      (event) =>
        (cluster === '' || event.cluster === wanted) &&
        (type === '' || event.type === type) &&
        (text === '' || `${event.object} ${event.reason} ${event.message}`.toLowerCase().includes(text)),
    )
    .reverse();
}

/** Those of one object on a cluster, the newest first. */
export function eventsOfObject(
  events: readonly EventView[],
  of: { readonly cluster: string; readonly kind: string; readonly namespace: string; readonly name: string },
): EventView[] {
  const object = `${of.kind}/${of.name}`;
  return events
    .filter((each) => each.cluster === of.cluster && each.object === object && each.namespace === of.namespace)
    .reverse();
}

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
