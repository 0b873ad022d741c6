import type { EventView, FoundEvents } from '../answers/members.js';
import pLimit from 'p-limit';
import { eventResource } from '#api/core.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import type { DestinationView } from '../answers/application.js';
import { eventView, isAbout, newestLast, type EventObject, type EventSubject } from '../views/event-view.js';
import { destinationsOn } from '../views/tree-view.js';
import { reachChild, type Reader } from './child-member.js';
import { eachDestination, type ReadLimits } from './each-destination.js';
import { cutList, cutNamespaces, pagesOf } from './pages.js';
import { problemOf, readDestination } from './read-destination.js';

/** Namespaces of one destination whose events are read; releases have few. */
const MOST_NAMESPACES = 10;
/** Read at once: a cluster of a tenant may answer with much. */
const AT_ONCE = 2;
/** Events of objects of the whole cluster are here. */
const CLUSTER_SCOPED = 'default';
const EVENTS = eventResource.plural;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

const NOTHING_CUT = { more: 0, moreOnHost: 0 };

interface Place {
  readonly kube: Kube;
  readonly cluster: string;
  readonly signal: AbortSignal;
}

function joined(found: readonly FoundEvents[]): FoundEvents {
  const { events, more, moreOnHost } = newestLast(found.flatMap((each) => each.events));
  return {
    events,
    more: found.reduce((sum, each) => sum + each.more, more),
    moreOnHost: found.reduce((sum, each) => sum + each.moreOnHost, moreOnHost),
    problems: found.flatMap(({ problems }) => problems),
  };
}

async function eventsIn(
  { kube, cluster, signal }: Place,
  namespace: string,
  subjects: readonly EventSubject[],
): Promise<FoundEvents> {
  const isWanted = isAbout(subjects);
  const found: EventView[] = [];
  const query = { namespace, signal, maxBytes: MAX_PAGE_BYTES };
  const pages = pagesOf<EventObject>({ kube, type: eventResource, query });
  for (let page = await pages.next(); ; page = await pages.next()) {
    if (page.done === true) {
      return joined([{ events: found, ...NOTHING_CUT, problems: page.value ? [cutList(namespace, EVENTS)] : [] }]);
    }
    found.push(...page.value.filter(isWanted).map((event) => eventView(event, cluster)));
  }
}

async function eventsOf(place: Place, subjects: readonly EventSubject[]): Promise<FoundEvents> {
  const namespaces = [...new Set(subjects.map(({ namespace }) => (namespace === '' ? CLUSTER_SCOPED : namespace)))];
  const limit = pLimit(AT_ONCE);
  const read = namespaces
    .slice(0, MOST_NAMESPACES)
    .map((namespace) => limit(() => eventsIn(place, namespace, subjects)));
  const { problems, ...found } = joined(await Promise.all(read));
  const isCut = cutNamespaces('the objects', MOST_NAMESPACES, EVENTS);
  return { ...found, problems: namespaces.length > MOST_NAMESPACES ? [...problems, isCut] : problems };
}

/** Events of what runs on the cluster of a destination. Never throws. */
async function memberEvents(destination: DestinationView, reader: Reader): Promise<FoundEvents> {
  const { cluster, name } = destination;
  try {
    const { objects, owned, problem } = await readDestination(destination, reader);
    const { member } = await reachChild(destination, reader);
    const place = { kube: member.kube, cluster, signal: reader.signal };
    const { problems, ...found } = await eventsOf(place, [...objects, ...owned]);
    const all = problem === '' ? problems : [problem, ...problems];
    return { ...found, problems: all.map((each) => `${name}: ${each}`) };
  } catch (error: unknown) {
    return { events: [], ...NOTHING_CUT, problems: [`${name}: ${problemOf(error, reader.host)}`] };
  }
}

/** The Application and its children, on the host: also those of which nobody knows yet where they are. */
function hostSubjects(application: Application, destinations: readonly DestinationView[]): EventSubject[] {
  const { name, namespace = '' } = application.metadata;
  const all = [...destinations, ...destinationsOn(application, '')];
  const children = all.flatMap(({ childRef }) => childRef ?? []);
  return [{ kind: applicationResource.kind, namespace, name }, ...children];
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
  return joined([own, ...found]);
}
