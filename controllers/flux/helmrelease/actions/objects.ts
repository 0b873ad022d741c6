import sortBy from 'lodash/sortBy.js';
import uniqBy from 'lodash/uniqBy.js';
import type { Unstructured } from '../../../../api/meta.js';
import { applyObjects } from '../../../engine/apply/apply.js';
import { inventoryEntry } from '../../../engine/apply/inventory.js';
import type { ObjectFailure, TakeOverRule } from '../../../engine/apply/types.js';
import { pause } from '../../../runtime/pause.js';
import { isServerTrouble, TerminalError, TransientError } from '../../../runtime/pure/errors.js';
import { ownershipFlaw, withOwnership } from '../model/ownership.js';
import { isTakenOver } from '../model/take-over.js';
import { isInterruption, reasonText } from '../../shared/failure.js';
import { FIELD_MANAGER, type ActionContext } from './context.js';

const POLL_MS = 1_000;

/** An action could not do what it should; the message is what the user reads. */
export class ActionError extends TransientError {
  /** What a failed hook printed: for people, and no part of what Helm stores. */
  readonly output: string | undefined;

  constructor(message: string, options: ErrorOptions & { output?: string | undefined } = {}) {
    super(message, { ...options, reason: 'ActionFailed' });
    this.output = options.output;
  }
}

/**
 * Applies objects as Helm would own them, with what Helm by hand, or on the client's side, set on those of the release;
 * returns them as they are then, by id. Throws ActionError naming every object that was refused.
 */
export function applyOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  { looksFirst }: Pick<TakeOverRule, 'looksFirst'>,
): Promise<Unstructured[]> {
  return applyPlain(
    context,
    objects.map((object) => withOwnership(object, context)),
    { looksFirst, isTaken: (entry, live) => isTakenOver(entry, live, context) },
  );
}

/** Applies objects as they are given; returns them as they are then, by id. Throws ActionError. */
export async function applyPlain(
  context: ActionContext,
  objects: readonly Unstructured[],
  takeOver?: TakeOverRule,
): Promise<Unstructured[]> {
  if (objects.length === 0) return [];
  const { member, namespace, signal } = context;
  const { failures, changes } = await applyObjects({
    member,
    objects,
    fieldManager: FIELD_MANAGER,
    defaultNamespace: namespace,
    signal,
    isRollOut: true,
    ...(takeOver === undefined ? {} : { takeOver }),
  });
  refuseFailures('apply', failures);
  return sortBy(changes, 'id').flatMap(({ live }) => live ?? []);
}

/** Throws for what a batch could not do: one ActionError for all, or the error that ends the pass. */
export function refuseFailures(verb: 'apply' | 'delete', failures: readonly ObjectFailure[]): void {
  const interruption = failures.find(({ error }) => isInterruption(error));
  if (interruption) throw interruption.error;
  if (failures.length === 0) return;
  const text = failures.map(({ subject, error }) => `${subject}: ${reasonText(error)}`).join('; ');
  throw new ActionError(`cannot ${verb} ${text}`, { cause: failures[0]?.error });
}

/** The live object; undefined when it, or its whole kind, does not exist. */
export async function readLive(context: ActionContext, object: Unstructured): Promise<Unstructured | undefined> {
  const { member, signal } = context;
  const type = await member.resourceType(object.apiVersion, object.kind, { signal });
  const namespace = type.namespaced ? (object.metadata.namespace ?? context.namespace) : undefined;
  return member.kube.get<Unstructured>(type, { name: object.metadata.name, namespace }, { signal });
}

/** The objects with the namespace that they land in; cluster-scoped ones have none. */
export async function withNamespaces(
  { member, namespace, signal }: ActionContext,
  objects: readonly Unstructured[],
): Promise<Unstructured[]> {
  const placed: Unstructured[] = [];
  for (const object of objects) {
    const { namespaced } = await member.resourceType(object.apiVersion, object.kind, { signal });
    const { namespace: own = namespace, ...rest } = object.metadata;
    placed.push({ ...object, metadata: namespaced ? { ...rest, namespace: own } : rest });
  }
  return placed;
}

/** True for an error that says: the member serves no such kind. */
export function isUnknownKind(error: unknown): boolean {
  return error instanceof TerminalError && error.reason === 'NoKindMatch';
}

/** Like `withNamespaces`, without objects of kinds that are not served (any more): none of them can exist. */
export async function withKnownKinds(
  context: ActionContext,
  objects: readonly Unstructured[],
): Promise<Unstructured[]> {
  const known: Unstructured[] = [];
  for (const object of objects) {
    try {
      known.push(...(await withNamespaces(context, [object])));
    } catch (error: unknown) {
      if (!isUnknownKind(error)) throw error;
    }
  }
  return known;
}

type IsDone = (live: Unstructured | undefined, wanted: Unstructured) => boolean;

async function openAmong(
  context: ActionContext,
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
 * Looks at each object until `isDone` says so. Throws ActionError naming those that were not after `timeoutMs`; until
 * then a server that has trouble is asked again. `isDone` may throw to give up at once.
 */
export async function waitUntil(
  context: ActionContext,
  objects: readonly Unstructured[],
  options: {
    readonly timeoutMs: number;
    readonly waitingFor: string;
    readonly isDone: IsDone;
  },
): Promise<void> {
  const deadline = context.now() + options.timeoutMs;
  let pending = objects;
  for (;;) {
    const isLast = context.now() >= deadline;
    try {
      pending = await openAmong(context, pending, options.isDone);
    } catch (error: unknown) {
      if (isLast || !isServerTrouble(error)) throw error;
    }
    if (pending.length === 0) return;
    if (isLast) {
      const names = pending.map(({ kind, metadata }) => `${kind}/${metadata.name}`).join(', ');
      throw new ActionError(`timeout waiting for ${options.waitingFor}: [${names}]`);
    }
    await pause(POLL_MS, context.signal);
  }
}

/** Throws ActionError for the first object that exists already and is not this release's. */
export async function refuseForeign(
  context: ActionContext,
  objects: readonly Unstructured[],
  action: 'install' | 'update',
): Promise<void> {
  for (const object of await withKnownKinds(context, objects)) {
    const live = await readLive(context, object);
    const flaw = live === undefined ? undefined : ownershipFlaw(live, context);
    if (flaw !== undefined) throw new ActionError(`Unable to continue with ${action}: ${flaw}`);
  }
}

/** Those of `objects` that are not among `others`, each once; kinds that are not served are left out. */
export async function objectsWithout(
  context: ActionContext,
  objects: readonly Unstructured[],
  others: readonly Unstructured[],
): Promise<Unstructured[]> {
  const idOf = (object: Unstructured): string => inventoryEntry(object).id;
  const kept = new Set((await withKnownKinds(context, others)).map(idOf));
  return uniqBy(await withKnownKinds(context, objects), idOf).filter((object) => !kept.has(idOf(object)));
}
