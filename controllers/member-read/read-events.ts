import { eventResource } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { childOf, type DestinationView } from '../read-model/application-view.js';
import { eventView, isAbout, type EventObject, type EventSubject, type EventView } from '../read-model/event-view.js';
import type { Kube } from '../runtime/kube.js';
import { reachChild, type Reader } from './child-member.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import { pagesOf } from './pages.js';
import { problemOf, readDestination } from './read-destination.js';

/** Namespaces of one destination whose events are read; releases have few. */
const MOST_NAMESPACES = 10;
/** Events of objects of the whole cluster are here. */
const CLUSTER_SCOPED = 'default';

/** Events, and what could not be read. */
export interface FoundEvents {
  readonly events: readonly EventView[];
  readonly problems: readonly string[];
}

interface Place {
  readonly kube: Kube;
  readonly cluster: string;
  readonly signal: AbortSignal;
}

async function eventsIn(
  { kube, cluster, signal }: Place,
  namespace: string,
  subjects: readonly EventSubject[],
): Promise<EventView[]> {
  const isWanted = isAbout(subjects);
  const found: EventView[] = [];
  for await (const page of pagesOf<EventObject>({ kube, type: eventResource, query: { namespace, signal } })) {
    found.push(...page.filter(isWanted).map((event) => eventView(event, cluster)));
  }
  return found;
}

async function eventsOf(place: Place, subjects: readonly EventSubject[]): Promise<EventView[]> {
  const namespaces = [...new Set(subjects.map(({ namespace }) => (namespace === '' ? CLUSTER_SCOPED : namespace)))];
  const read = namespaces.slice(0, MOST_NAMESPACES).map((namespace) => eventsIn(place, namespace, subjects));
  return (await Promise.all(read)).flat();
}

/** Events of what runs on the cluster of a destination. Never throws. */
async function memberEvents(destination: DestinationView, reader: Reader): Promise<FoundEvents> {
  const { cluster, name } = destination;
  try {
    const { objects, owned, problem } = await readDestination(destination, reader);
    const { member } = await reachChild(destination, reader);
    const place = { kube: member.kube, cluster, signal: reader.signal };
    const events = await eventsOf(place, [...objects, ...owned]);
    return { events, problems: problem === '' ? [] : [`${name}: ${problem}`] };
  } catch (error: unknown) {
    return { events: [], problems: [`${name}: ${problemOf(error)}`] };
  }
}

/** The Application and its children, on the host. */
function hostSubjects({ metadata }: Application, destinations: readonly DestinationView[]): EventSubject[] {
  const { name, namespace = '' } = metadata;
  const children = destinations.flatMap((destination) => childOf(destination) ?? []);
  return [{ kind: applicationResource.kind, name }, ...children].map((each) => ({ ...each, namespace }));
}

/**
 * The events of an Application, of its children, and of what they deployed, read with the rights that `host` has. Throws
 * what the client throws if those on the host cannot be read.
 */
export async function readEvents(
  host: Kube,
  application: Application,
  destinations: readonly DestinationView[],
  limits: ReadLimits = {},
): Promise<FoundEvents> {
  const namespace = application.metadata.namespace ?? '';
  const signal = limits.signal ?? new AbortController().signal;
  const own = await eventsOf({ kube: host, cluster: '', signal }, hostSubjects(application, destinations));
  const deployed = destinations.filter(({ child }) => child !== '');
  const found = await eachDestination({ host, namespace }, deployed, memberEvents, limits);
  return {
    events: [...own, ...found.flatMap(({ events }) => events)],
    problems: found.flatMap(({ problems }) => problems),
  };
}
