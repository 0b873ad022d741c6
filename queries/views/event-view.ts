import type { EventView, NewestEvents, ObjectView } from '../answers/members.js';
import groupBy from 'lodash/groupBy.js';
import type { KubeObject } from '#api/meta.js';

/** A core/v1 Event, as far as users read it. */
export interface EventObject extends KubeObject {
  readonly involvedObject?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string } | null;
}

/** An object whose events are wanted. */
export type EventSubject = Pick<ObjectView, 'kind' | 'namespace' | 'name'>;

/** Older events are dropped. */
export const MOST_EVENTS = 500;
/** Of one text; Kubernetes writes no longer message. */
const MOST_CHARACTERS = 1_024;

function keyOf({ kind, namespace, name }: EventSubject): string {
  return `${kind}/${namespace}/${name}`;
}

/** An Event of an object of the whole cluster is in some namespace, and names none. */
function subjectOf({ involvedObject = {} }: EventObject): EventSubject {
  const { kind = '', namespace = '', name = '' } = involvedObject;
  return { kind, namespace, name };
}

/** True for events of one of these objects. */
export function isAbout(subjects: readonly EventSubject[]): (event: EventObject) => boolean {
  const keys = new Set(subjects.map(keyOf));
  return (event) => keys.has(keyOf(subjectOf(event)));
}

function lastSeenOf({ series, lastTimestamp, eventTime, metadata }: EventObject): string {
  return series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
}

/** A server may answer with anything. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MOST_CHARACTERS) : '';
}

/** An event as users read it; `cluster` is empty for the host's part. */
export function eventView(event: EventObject, cluster: string): EventView {
  const { kind, namespace, name } = subjectOf(event);
  const { type, reason, message, series, count } = event;
  return {
    uid: textOf(event.metadata.uid),
    cluster,
    namespace,
    object: `${kind}/${name}`,
    ...{ type: textOf(type), reason: textOf(reason), message: textOf(message) },
    count: series?.count ?? count ?? 1,
    lastSeen: textOf(lastSeenOf(event)),
  };
}

/** Epoch milliseconds; 0 without a time that can be read. */
export function timeOf({ lastSeen }: Pick<EventView, 'lastSeen'>): number {
  return Date.parse(lastSeen) || 0;
}

function byTime(a: EventView, b: EventView): number {
  return timeOf(a) - timeOf(b);
}

/** The newest of each cluster, and as many of each as there is room for when all get the same. */
function fairly(views: readonly EventView[]): EventView[] {
  const fewestFirst = Object.values(groupBy(views, ({ cluster }) => `cluster ${cluster}`)).sort(
    (a, b) => a.length - b.length,
  );
  let left = MOST_EVENTS;
  return fewestFirst.flatMap((own, index) => {
    const share = Math.min(own.length, Math.floor(left / (fewestFirst.length - index)));
    left -= share;
    return share === 0 ? [] : own.sort(byTime).slice(-share);
  });
}

/** True for an event of the Application and its children. */
export function isOnHost({ cluster }: EventView): boolean {
  return cluster === '';
}

/**
 * The newest last, as kubectl prints them; how many older ones are left out. A cluster with many does not push out those
 * of others.
 */
export function newestLast(views: readonly EventView[]): NewestEvents {
  const events = (views.length > MOST_EVENTS ? fairly(views) : [...views]).sort(byTime);
  const moreOnHost = views.filter(isOnHost).length - events.filter(isOnHost).length;
  return { events, more: views.length - events.length, moreOnHost };
}
