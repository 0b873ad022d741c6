import type { EventView } from '#queries/views/event-view.js';
import { pathTo } from '../../navigation/model/place.js';

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
const MOST_CHARACTERS = 512;

/** Of the part of a URL behind `?`. What it does not know, it ignores. */
export function eventQueryOf(search: string): EventQuery {
  const params = new URLSearchParams(search);
  const textOf = (key: string): string => (params.get(key) ?? '').slice(0, MOST_CHARACTERS);
  return { cluster: textOf('cluster'), type: textOf('type'), search: textOf('search') };
}

/** The part of a URL behind its path; empty if it asks for nothing. */
export function eventSearchOf({ cluster, type, search }: EventQuery): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries({ cluster, type, search })) {
    if (value !== '') params.set(key, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
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
