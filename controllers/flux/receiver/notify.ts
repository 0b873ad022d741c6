import omit from 'lodash/omit.js';
import uniqBy from 'lodash/uniqBy.js';
import pLimit from 'p-limit';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject, ObjectMeta } from '#api/meta.js';
import type { Kube } from '../../runtime/kube.js';
import type { SharedData } from '../../runtime/pure/cel.js';
import { TransientError } from '../../runtime/pure/errors.js';
import { keyOf } from '../../runtime/pure/keys.js';
import type { Accepted } from './model/validate.js';
import { FIELD_MANAGER } from './reconcile.js';

type Target = Accepted['targets'][number];

/** For one webhook; more would keep the others waiting. */
const MOST_OBJECTS = 500;
const AT_ONCE = 8;

/** A webhook that is carried out. */
export interface Notification {
  readonly kube: Kube;
  /** The body, for filters. */
  readonly request: SharedData;
  /** RFC 3339. */
  readonly requestedAt: string;
  readonly signal: AbortSignal;
}

async function namedObject({ field, type, name = '', namespace }: Target, { kube, signal }: Notification) {
  const found = await kube.get(type, { name, namespace }, { signal });
  if (found !== undefined) return [found];
  throw new TransientError(`${field}: ${type.kind} ${keyOf({ name, namespace })} does not exist`);
}

async function selectedObjects(target: Target, { kube, signal }: Notification): Promise<readonly KubeObject[]> {
  const { field, type, namespace, labelSelector = '' } = target;
  const query = { namespace, labelSelector, metadataOnly: true, limit: MOST_OBJECTS, signal };
  const { items, continueToken } = await kube.list(type, query);
  if (continueToken === undefined) return items;
  throw new TransientError(`${field}: the labels select more than ${MOST_OBJECTS} objects: select fewer`);
}

/** Whether the filters accept an object, of which they see the metadata alone. */
function isMeant({ type, expressions }: Target, metadata: ObjectMeta, { request }: Notification): boolean {
  const res = {
    apiVersion: `${type.group}/${type.version}`,
    kind: type.kind,
    metadata: omit(metadata, 'managedFields'),
  };
  return expressions.every((expression) => {
    const answer = expression.evaluate({ res, req: request });
    if ('problem' in answer)
      throw new TransientError(`the filter fails for ${type.kind} ${keyOf(metadata)}: ${answer.problem}`);
    return answer.value;
  });
}

interface Found {
  readonly target: Target;
  readonly metadata: ObjectMeta;
}

async function objectsOf(target: Target, notification: Notification): Promise<readonly Found[]> {
  const found = await (target.name === undefined ? selectedObjects : namedObject)(target, notification);
  return found
    .filter(({ metadata }) => isMeant(target, metadata, notification))
    .map(({ metadata }) => ({ target, metadata }));
}

async function annotate({ target: { type }, metadata: { name, namespace } }: Found, notification: Notification) {
  const { kube, requestedAt, signal } = notification;
  const body = { metadata: { annotations: { [REQUESTED_AT_ANNOTATION]: requestedAt } } };
  await kube.patch(type, { name, namespace }, { type: 'merge', body }, { fieldManager: FIELD_MANAGER, signal });
}

/** Each object once, whichever resources name it. */
function distinct(found: readonly Found[]): Found[] {
  return uniqBy(found, ({ target: { type }, metadata }) => `${type.plural} ${keyOf(metadata)}`);
}

/** What became of a webhook: objects that were asked to reconcile, and what failed meanwhile. */
export interface Notified {
  readonly objects: number;
  readonly errors: readonly unknown[];
}

const reasonsOf = (results: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));

/** Asks all objects of a Receiver to reconcile, and does nothing else to them. What fails never stops the others. */
export async function notify({ targets }: Accepted, notification: Notification): Promise<Notified> {
  const limit = pLimit(AT_ONCE);
  const lists = await Promise.allSettled(targets.map((target) => limit(() => objectsOf(target, notification))));
  const found = distinct(lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : [])));
  const meant = found.slice(0, MOST_OBJECTS);
  const results = await Promise.allSettled(meant.map((each) => limit(() => annotate(each, notification))));
  const errors = [...reasonsOf(lists), ...reasonsOf(results)];
  if (found.length > meant.length)
    errors.push(new TransientError(`spec.resources select more than ${MOST_OBJECTS} objects: select fewer`));
  return { objects: results.filter(({ status }) => status === 'fulfilled').length, errors };
}
