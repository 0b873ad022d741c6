import omit from 'lodash/omit.js';
import partition from 'lodash/partition.js';
import uniqBy from 'lodash/uniqBy.js';
import pLimit from 'p-limit';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject, ObjectMeta } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Offload } from '#runtime/isolation/offload.js';
import type { CelAnswer } from '#lib/cel/cel.js';
import { TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { filterAside } from './filter-aside.js';
import type { Accepted } from './model/validate.js';
import { FIELD_MANAGER } from './reconcile.js';

type Target = Accepted['targets'][number];

/** For one webhook; more would keep the others waiting. */
const MOST_OBJECTS = 500;
const AT_ONCE = 8;

/** A webhook that is carried out. */
export interface Notification {
  readonly kube: Kube;
  readonly offload: Pick<Offload, 'run'>;
  /** The namespace of the Receiver. */
  readonly tenant: string;
  /** JSON, for filters. */
  readonly body: string;
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

interface Found {
  readonly target: Target;
  readonly metadata: ObjectMeta;
}

async function objectsOf(target: Target, notification: Notification): Promise<readonly Found[]> {
  const found = await (target.name === undefined ? selectedObjects : namedObject)(target, notification);
  return found.map(({ metadata }) => ({ target, metadata }));
}

/** Of an object, filters see the metadata alone. */
function seenByFilters({ target: { type, filters }, metadata }: Found) {
  const apiVersion = `${type.group}/${type.version}`;
  return { res: { apiVersion, kind: type.kind, metadata: omit(metadata, 'managedFields') }, filters };
}

/** What a webhook is about, and what failed as that was found out. */
interface Meant {
  readonly found: readonly Found[];
  readonly errors: readonly unknown[];
}

/** The objects that their filters accept; undefined when these need a JSON object, and the body is none. */
async function filtered(found: readonly Found[], notification: Notification): Promise<Meant | undefined> {
  const [asked, free] = partition(found, ({ target }) => target.filters.length > 0);
  if (asked.length === 0) return { found, errors: [] };
  const { offload, body } = notification;
  try {
    const answers = await filterAside(offload, { body, objects: asked.map(seenByFilters) }, notification);
    if (answers === undefined) return undefined;
    const accepted = asked.filter((_, index) => isTrue(answers[index]));
    return { found: [...free, ...accepted], errors: problemsOf(asked, answers) };
  } catch (error: unknown) {
    return { found: free, errors: [error] };
  }
}

function isTrue(answer: CelAnswer | undefined): boolean {
  return answer !== undefined && 'value' in answer && answer.value;
}

/** One for each target: they may be many, and alike. */
function problemsOf(asked: readonly Found[], answers: readonly CelAnswer[]): TransientError[] {
  const problems = asked.flatMap(({ target, metadata }, index) => {
    const answer = answers[index];
    return answer !== undefined && 'problem' in answer ? { target, metadata, problem: answer.problem } : [];
  });
  return uniqBy(problems, ({ target }) => target).map(
    ({ target: { type }, metadata, problem }) =>
      new TransientError(`the filter fails for ${type.kind} ${keyOf(metadata)}: ${problem}`),
  );
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

/**
 * Asks all objects of a Receiver to reconcile, and does nothing else to them. What fails never stops the others.
 * Undefined, and nothing done, when filters need a JSON object and the body is none.
 */
export async function notify({ targets }: Accepted, notification: Notification): Promise<Notified | undefined> {
  const limit = pLimit(AT_ONCE);
  const lists = await Promise.allSettled(targets.map((target) => limit(() => objectsOf(target, notification))));
  const listed = lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
  const accepted = await filtered(listed, notification);
  if (accepted === undefined) return undefined;
  const found = distinct(accepted.found);
  const meant = found.slice(0, MOST_OBJECTS);
  const results = await Promise.allSettled(meant.map((each) => limit(() => annotate(each, notification))));
  const errors = [...reasonsOf(lists), ...accepted.errors, ...reasonsOf(results)];
  if (found.length > meant.length)
    errors.push(new TransientError(`spec.resources select more than ${MOST_OBJECTS} objects: select fewer`));
  return { objects: results.filter(({ status }) => status === 'fulfilled').length, errors };
}
