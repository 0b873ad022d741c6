import pLimit from 'p-limit';
import { isPod } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import type { ObjectTarget } from '#engine/member/model/inventory.js';
import { objectHealth } from '#engine/health/object-health.js';
import { blamedContainer } from '#engine/health/pod-cause.js';
import type { HealthStatus } from '#engine/health/fields.js';
import type { Member } from '#engine/member/member.js';
import { apiStatusOf, isNotFound, TerminalError } from '#lib/errors.js';
import { isMap } from '#lib/plain.js';
import { objectPath } from '#lib/net/urls.js';
import type { ObjectState } from '../answers/words.js';
import type { FoundObject } from '../views/tree-view.js';

const AT_ONCE = 8;
/** More than objects of Kubernetes are stored with. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Their content is nobody's business here, and says nothing of their state. */
const CONTENT_UNREAD: readonly string[] = ['Secret', 'ConfigMap'];
const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';
/** Media type of an object without its content. */
export const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const STATES: Readonly<Record<HealthStatus, ObjectState>> = {
  Current: 'Ready',
  InProgress: 'Progressing',
  Failed: 'Failed',
  Terminating: 'Deleting',
  NotFound: 'Missing',
  Unknown: 'Unknown',
};

/** What users are told of an object that was read. */
export function stateOf(object: Unstructured): Pick<FoundObject, 'state' | 'message'> {
  const { status, message } = objectHealth(object);
  return { state: STATES[status], message: status === 'Current' ? '' : message };
}

function namesIn(spec: unknown, field: string): string[] {
  const list = isMap(spec) ? spec[field] : undefined;
  const names = Array.isArray(list) ? list.map((each: unknown) => (isMap(each) ? each['name'] : undefined)) : [];
  return names.filter((name) => typeof name === 'string');
}

/** Those of a pod, none of other objects; as with kubectl, one may be named as the default. */
function containersOf({ apiVersion, kind, metadata, spec }: Unstructured): string[] {
  if (!isPod({ apiVersion, kind })) return [];
  const names = [...namesIn(spec, 'containers'), ...namesIn(spec, 'initContainers')];
  const first = metadata.annotations?.[DEFAULT_CONTAINER];
  return first !== undefined && names.includes(first) ? [first, ...names.filter((name) => name !== first)] : names;
}

/** What is known of the containers of a pod; other objects have none. */
export function podPart(object: Unstructured, state: string): Pick<FoundObject, 'containers' | 'blamed'> {
  const containers = containersOf(object);
  const blamed = containers.length === 0 || state === 'Ready' ? undefined : blamedContainer(object, Date.now());
  return { containers, ...(blamed === undefined ? {} : { blamed }) };
}

/** An object of which nothing is known but that it should be there. */
export function unread({ apiVersion, kind, namespace = '', name }: ObjectTarget, message = ''): FoundObject {
  return { apiVersion, kind, namespace, name, uid: '', containers: [], state: 'Unknown', message };
}

async function readObject(member: Member, target: ObjectTarget, signal: AbortSignal): Promise<FoundObject> {
  const { apiVersion, kind, name } = target;
  const type = await member.servedType(apiVersion, kind, { signal });
  const namespace = type.namespaced ? target.namespace : undefined;
  const accept = CONTENT_UNREAD.includes(kind) ? { accept: METADATA_ONLY } : {};
  const path = objectPath(type, { namespace, name });
  const answer = (await member.kube.read(path, { ...accept, signal, maxBytes: MAX_BYTES })) as Unstructured;
  const object = { ...answer, apiVersion, kind };
  const { uid = '' } = object.metadata;
  const health = stateOf(object);
  return { ...unread({ ...target, namespace }), uid, ...health, ...podPart(object, health.state) };
}

/** Why one object could not be read; an error that is of the whole member is thrown. */
export function withoutAnswer(target: ObjectTarget, error: unknown): FoundObject {
  if (isNotFound(error)) return { ...unread(target), state: 'Missing', message: 'it does not exist' };
  const isOfObject = apiStatusOf(error) !== undefined || error instanceof TerminalError;
  if (!isOfObject || !(error instanceof Error)) throw error;
  return unread(target, error.message);
}

/** The objects as they are now, in the same order. Throws what the client throws if the member does not answer. */
export async function readObjects(
  member: Member,
  targets: readonly ObjectTarget[],
  signal: AbortSignal,
): Promise<FoundObject[]> {
  const limit = pLimit(AT_ONCE);
  const read = (target: ObjectTarget): Promise<FoundObject> =>
    limit(() => readObject(member, target, signal).catch((error: unknown) => withoutAnswer(target, error)));
  return Promise.all(targets.map(read));
}
