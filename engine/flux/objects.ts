import memoize from 'lodash/memoize.js';
import sortBy from 'lodash/sortBy.js';
import uniqBy from 'lodash/uniqBy.js';
import { apiVersionOf, type Unstructured } from '#api/meta.js';
import { isServerTrouble, TransientError } from '#lib/errors.js';
import { defined } from '#lib/plain.js';
import { type Look, until } from '#runtime/until.js';
import { applyObjects } from '../apply/apply.js';
import { deleteObjects } from '../apply/delete.js';
import type { ChangeSet, TakeOverRule } from '../apply/types.js';
import type { ObjectFacts } from '../deletion/facts.js';
import { mayDelete } from '../deletion/rule.js';
import type { Member, ServedOptions } from '../member/member.js';
import { inNamespace, inventoryEntry, subjectOf, targetOf } from '../member/model/inventory.js';
import { isInterruption, isUnknownKind, reasonText, type ObjectFailure } from '../member/member-failure.js';

/** The services that work on the objects of one owner in its target cluster. */
export interface ClusterContext {
  readonly member: Member;
  readonly fieldManager: string;
  /** The namespace of namespaced objects that name none. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

const POLL_MS = 1_000;

/** An action failed; the message is for users. */
export class ActionError extends TransientError {
  /** Output of a failed hook, for users; Helm does not store it. */
  readonly output: string | undefined;

  constructor(message: string, options: ErrorOptions & { output?: string | undefined } = {}) {
    super(message, { ...options, reason: 'ActionFailed' });
    this.output = options.output;
  }
}

/** Applies objects unchanged; returns the live objects by id. Throws ActionError. */
export async function applyPlain(
  context: ClusterContext,
  objects: readonly Unstructured[],
  takeOver?: TakeOverRule,
): Promise<Unstructured[]> {
  if (objects.length === 0) return [];
  const { member, fieldManager, namespace, signal } = context;
  const { failures, changes } = await applyObjects({
    member,
    objects,
    fieldManager,
    defaultNamespace: namespace,
    signal,
    isRollOut: true,
    ...defined({ takeOver }),
  });
  refuseFailures('apply', failures);
  return sortBy(changes, 'id').flatMap(({ live }) => live ?? []);
}

/** Throws the first failure that is an interruption. */
export function refuseInterruption(failures: readonly ObjectFailure[]): void {
  const interruption = failures.find(({ error }) => isInterruption(error));
  if (interruption !== undefined) throw interruption.error;
}

/** The words of a client before those of a server: the subject of a failure names the object already. */
const ATTEMPTED = /^cannot (?:apply|delete) (\S+) (\S+): /;

function failureText({ subject, error }: ObjectFailure): string {
  const text = reasonText(error);
  const [attempted = '', kind = '', name = ''] = ATTEMPTED.exec(text) ?? [];
  return `${subject}: ${subject === `${kind}/${name}` ? text.slice(attempted.length) : text}`;
}

/** Each object with its error, in one line. */
export function failuresText(failures: readonly ObjectFailure[]): string {
  return failures.map(failureText).join('; ');
}

/** Throws if a batch failed: one ActionError for all objects, or an interruption. */
export function refuseFailures(verb: 'apply' | 'delete', failures: readonly ObjectFailure[]): void {
  refuseInterruption(failures);
  if (failures.length === 0) return;
  throw new ActionError(`cannot ${verb} ${failuresText(failures)}`, { cause: failures[0]?.error });
}

function undefinedIfUnknown(error: unknown): undefined {
  if (!isUnknownKind(error)) throw error;
}

/** The live object; undefined when it, or its whole kind, does not exist. */
export async function readLive(context: ClusterContext, object: Unstructured): Promise<Unstructured | undefined> {
  const { member, signal } = context;
  const type = await member.resourceType(object.apiVersion, object.kind, { signal }).catch(undefinedIfUnknown);
  if (type === undefined) return undefined;
  const namespace = type.namespaced ? (object.metadata.namespace ?? context.namespace) : undefined;
  return member.kube.get<Unstructured>(type, { name: object.metadata.name, namespace }, { signal });
}

/** The objects with their effective namespace; cluster-scoped ones have none. */
export async function withNamespaces(
  { member, namespace, signal }: ClusterContext,
  objects: readonly Unstructured[],
): Promise<Unstructured[]> {
  const placed: Unstructured[] = [];
  for (const object of objects) {
    const { namespaced } = await member.resourceType(object.apiVersion, object.kind, { signal });
    placed.push(inNamespace(object, namespaced ? namespace : undefined));
  }
  return placed;
}

/**
 * Like `withNamespaces`, each in a version that is served, without objects that cannot exist: those of kinds that no
 * version of the group has, and namespaced ones without a namespace.
 */
export async function withKnownKinds(
  { member, namespace, signal }: ClusterContext,
  objects: readonly Unstructured[],
  { afresh = false }: Pick<ServedOptions, 'afresh'> = {},
): Promise<Unstructured[]> {
  const known: Unstructured[] = [];
  // Of one kind the server is asked once: to ask again for one that is not served takes a second.
  const typeOf = memoize(
    ({ apiVersion, kind }: Unstructured) => member.servedType(apiVersion, kind, { signal, afresh }),
    ({ apiVersion, kind }) => `${apiVersion} ${kind}`,
  );
  for (const object of objects) {
    try {
      const type = await typeOf(object);
      known.push(inNamespace({ ...object, apiVersion: apiVersionOf(type) }, type.namespaced ? namespace : undefined));
    } catch (error: unknown) {
      if (!isUnknownKind(error)) throw error;
    }
  }
  // A cluster-scoped object has no such field.
  return known.filter(({ metadata }) => metadata.namespace !== '');
}

type IsDone = (live: Unstructured | undefined, wanted: Unstructured) => boolean;

async function openAmong(
  context: ClusterContext,
  objects: readonly Unstructured[],
  isDone: IsDone,
): Promise<Unstructured[]> {
  const open: Unstructured[] = [];
  for (const object of objects) {
    if (!isDone(await readLive(context, object), object)) open.push(object);
  }
  return open;
}

/**
 * Reads each object until `isDone`. Throws ActionError naming the others after `timeoutMs`; until then, server errors
 * are retried. `isDone` may throw to give up at once.
 */
export async function waitUntil(
  context: ClusterContext,
  objects: readonly Unstructured[],
  {
    timeoutMs,
    waitingFor,
    isDone,
  }: { readonly timeoutMs: number; readonly waitingFor: string; readonly isDone: IsDone },
): Promise<void> {
  let pending = objects;
  const areDone = async ({ isLast }: Look): Promise<boolean> => {
    try {
      pending = await openAmong(context, pending, isDone);
    } catch (error: unknown) {
      if (isLast || !isServerTrouble(error)) throw error;
    }
    return pending.length === 0;
  };
  if (await until(areDone, { timeoutMs, intervalMs: POLL_MS, signal: context.signal })) return;
  const names = pending.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ');
  throw new ActionError(`timeout waiting for ${waitingFor}: [${names}]`);
}

/** Those of `objects` that are not among `others`, each once, without kinds that are not served. */
export async function objectsWithout(
  context: ClusterContext,
  objects: readonly Unstructured[],
  others: readonly Unstructured[],
): Promise<Unstructured[]> {
  const idOf = (object: Unstructured): string => inventoryEntry(object).id;
  const kept = new Set((await withKnownKinds(context, others)).map(idOf));
  return uniqBy(await withKnownKinds(context, objects), idOf).filter((object) => !kept.has(idOf(object)));
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** The result of a deletion. */
export interface Deletion {
  readonly going: readonly Unstructured[];
  /** Objects that stay because they have no mark, or that of another owner. */
  readonly unowned: readonly string[];
}

/** How objects are deleted, and what the deletion rule needs to know of each. */
export interface DeleteOptions {
  readonly factsOf: (live: Unstructured) => ObjectFacts;
  /** Called for each object that the rule leaves in place. */
  readonly onLeft: (left: { readonly object: string; readonly guard: string; readonly why: string }) => void;
  /** Default Background. */
  readonly propagation?: Propagation | undefined;
}

const UNOWNED: readonly string[] = ['unmarked', 'of-another'];

/** Like `deleteByRule`, with what was done to each object, and why it failed. */
export async function tryDeleteByRule(
  context: ClusterContext,
  objects: readonly Unstructured[],
  { factsOf, onLeft, propagation }: DeleteOptions,
): Promise<Deletion & ChangeSet> {
  // Where nothing is found by an old answer, an object would count as gone.
  const wanted = await withKnownKinds(context, objects, { afresh: true });
  const left = new Map<string, string>();
  const { changes, failures } = await deleteObjects({
    member: context.member,
    targets: wanted.map(targetOf),
    signal: context.signal,
    ...defined({ propagation }),
    mayDelete: (live) => {
      const { allowed, guard, why } = mayDelete(factsOf(live));
      if (allowed) return true;
      const object = subjectOf(targetOf(live));
      left.set(object, guard);
      onLeft({ object, guard, why });
      return false;
    },
  });
  return {
    changes,
    failures,
    going: wanted.filter((object) => !left.has(subjectOf(targetOf(object)))),
    unowned: [...left].flatMap(([subject, guard]) => (UNOWNED.includes(guard) ? [subject] : [])).sort(),
  };
}

/** Deletes what the deletion rule allows, in reverse order of applying. Throws ActionError. */
export async function deleteByRule(
  context: ClusterContext,
  objects: readonly Unstructured[],
  options: DeleteOptions,
): Promise<Deletion> {
  const { failures, going, unowned } = await tryDeleteByRule(context, objects, options);
  refuseFailures('delete', failures);
  return { going, unowned };
}

/** Waits until deleted objects are gone, or recreated by someone else. Throws ActionError. */
export async function waitUntilGone(
  context: ClusterContext,
  objects: readonly Unstructured[],
  timeoutMs: number,
): Promise<void> {
  await waitUntil(context, objects, {
    timeoutMs,
    waitingFor: 'deletion of',
    isDone: (live) => live?.metadata.deletionTimestamp === undefined,
  });
}
