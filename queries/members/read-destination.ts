import pLimit from 'p-limit';
import { podResource } from '#api/core.js';
import type { ObjectTarget } from '#engine/member/model/inventory.js';
import type { Member } from '#engine/member/member.js';
import type { Kube } from '#runtime/client/kube.js';
import { defined } from '#lib/plain.js';
import { CancelledError, publicMessageOf } from '#lib/errors.js';
import type { DestinationView } from '../answers/application.js';
import type { FoundObject, MemberFindings } from '../views/tree-view.js';
import { reachChild, type Reader } from './child-member.js';
import { cutNamespaces } from './pages.js';
import { readObjects, unread } from './object-states.js';
import { ownedObjects, type OwnedObjects, type Search } from './owned-objects.js';
import { releaseObjects } from './release-objects.js';

/** A tree of more is no longer read. */
const MOST_OBJECTS = 200;
const MOST_NAMESPACES = 10;
/** Pages of pods are large: a cluster of somebody else must not fill the memory. */
const AT_ONCE = 2;

/** A problem in a sentence, without the address of the host, which users need not know. */
export function problemOf(error: unknown, { server }: Pick<Kube, 'server'>): string {
  if (error instanceof CancelledError) return 'no answer in time';
  const text = error instanceof Error ? error.message : String(error);
  return text.includes(server) ? (publicMessageOf(error) ?? 'the API server could not be asked') : text;
}

/** Until when, and whose address is not told. */
interface Asked extends Pick<Reader, 'host' | 'signal'>, Search {}

/** UIDs by namespace, of what may own pods. */
function ownersByNamespace(objects: readonly FoundObject[]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const { namespace, uid } of objects) {
    if (uid !== '' && namespace !== '') found.set(namespace, [...(found.get(namespace) ?? []), uid]);
  }
  return [...found];
}

async function readOwned(
  { kube }: Member,
  objects: readonly FoundObject[],
  { host, signal, seeksFailingPods, pod }: Asked,
): Promise<OwnedObjects> {
  const read = async ([namespace, uids]: [string, string[]]): Promise<OwnedObjects> => {
    try {
      return await ownedObjects(kube, { namespace, uids, ...defined({ seeksFailingPods, pod }) }, signal);
    } catch (error: unknown) {
      return { owned: [], problems: [problemOf(error, host)] };
    }
  };
  const limit = pLimit(AT_ONCE);
  const namespaces = ownersByNamespace(objects);
  const all = await Promise.all(namespaces.slice(0, MOST_NAMESPACES).map((each) => limit(read, each)));
  const isCut = namespaces.length > MOST_NAMESPACES;
  const cut = isCut ? [cutNamespaces('its objects', MOST_NAMESPACES, podResource.plural)] : [];
  return { owned: all.flatMap(({ owned }) => owned), problems: [...all.flatMap(({ problems }) => problems), ...cut] };
}

async function readStates(
  member: Member,
  targets: readonly ObjectTarget[],
  asked: Asked,
): Promise<Omit<MemberFindings, 'more'>> {
  try {
    const objects = await readObjects(member, targets, asked.signal);
    const { owned, problems } = await readOwned(member, objects, asked);
    return { objects, owned, problem: [...new Set(problems)].join('; ') };
  } catch (error: unknown) {
    return { objects: targets.map((target) => unread(target)), owned: [], problem: problemOf(error, asked.host) };
  }
}

/** What runs on the cluster of one destination, as far as the user may read it. Never throws. */
export async function readDestination(
  destination: DestinationView,
  reader: Reader,
  search: Search = {},
): Promise<MemberFindings> {
  try {
    const reached = await reachChild(destination, reader);
    const targets = await releaseObjects(reached, reader);
    const found = await readStates(reached.member, targets.slice(0, MOST_OBJECTS), { ...reader, ...search });
    return { ...found, more: Math.max(0, targets.length - MOST_OBJECTS) };
  } catch (error: unknown) {
    return { objects: [], owned: [], problem: problemOf(error, reader.host), more: 0 };
  }
}
