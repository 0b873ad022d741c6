import pick from 'lodash/pick.js';
import type { ResourceType, Unstructured } from '#api/meta.js';
import { isUnchanged } from '../../engine/apply/compare.js';
import { resolveType } from '../../engine/apply/resolve-type.js';
import { withIgnored, type Settled } from '../../engine/drift/model/ignored-fields.js';
import type { IgnoredPaths } from '../../engine/drift/model/ignored-paths.js';
import { ConflictError } from '../../runtime/pure/errors.js';
import { takenOver, takeOverPatch, type TakeOver } from '../../runtime/pure/managed-fields.js';
import type { ClusterContext } from '../shared/cluster-context.js';
import { withMetadata } from '../shared/model/metadata.js';
import { create, createIfMissing } from './create.js';
import { isCreatable, isIgnored, isMerged, isOnlyCreated, withMissingLabels, type Owner } from './model/objects.js';
import { refusalOf, type Hiding } from '../shared/model/refusal.js';
import { isTakenOver } from './model/take-over.js';
import { prepareRecreation, recreate } from './recreate.js';

export interface LookRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  /** Objects whose immutable fields change are recreated, all of them or those that say so. */
  readonly force: boolean;
  /** Fields of live objects that stay as they are; undefined for none. */
  readonly ignored: (object: Unstructured) => IgnoredPaths | undefined;
  /** What is not told of refused objects; by default only of Secrets. */
  readonly hiding?: Hiding;
}

/** What a look at one object found to be done. */
export interface Look {
  readonly object: Unstructured;
  readonly action: 'created' | 'configured' | 'recreated' | 'unchanged' | 'skipped';
  readonly write?: () => Promise<Unstructured>;
  /** What is there, and what a dry run made of it, where both are known. */
  readonly difference?: { readonly live: Unstructured; readonly dryRun: Unstructured };
  /** Others set fields with kubectl: those that the object lacks go. */
  readonly takesOver?: boolean;
  /** Why it cannot be changed, and is recreated. */
  readonly refusal?: unknown;
}

/** An object that the server does not take as it is. */
interface Refused {
  readonly type: ResourceType;
  readonly object: Unstructured;
  readonly live: Unstructured | undefined;
  /** What of the object was applied. */
  readonly applied: Unstructured | undefined;
}

/**
 * What changed since it was read is read once more, or as often as `attempts` says; a conflict that stays is thrown.
 */
export async function afterConflict<Out>(
  work: () => Promise<Out>,
  again: () => Promise<Out>,
  attempts = 1,
): Promise<Out> {
  try {
    return await work();
  } catch (error: unknown) {
    if (!(error instanceof ConflictError) || attempts === 0) throw error;
    return afterConflict(again, again, attempts - 1);
  }
}

/** An object that exists. */
interface Known {
  /** As the source has it. */
  readonly object: Unstructured;
  readonly live: Unstructured;
  /** As it is applied. */
  readonly settled: Settled;
  /** Undefined if nobody's fields are taken over. */
  readonly takeOver: TakeOver | undefined;
}

function takeOverOf({ context }: LookRequest, object: Unstructured, live: Unstructured): TakeOver | undefined {
  if (isMerged(object) || isMerged(live)) return undefined;
  const manager = context.fieldManager;
  return { manager, isTaken: (entry) => isTakenOver(entry, manager) };
}

function knownOf(request: LookRequest, object: Unstructured, live: Unstructured): Known {
  const takeOver = takeOverOf(request, object, live);
  // Selectors see the object as it is going to be, labels of others included.
  const paths = request.ignored(withMetadata(live, object.metadata));
  if (paths === undefined) return { object, live, takeOver, settled: { object, copiesLive: false } };
  const { managedFields = [] } = live.metadata;
  const after = takeOver && takenOver(managedFields, takeOver);
  const ignoring = { paths, manager: request.context.fieldManager, managedFields: after ?? managedFields };
  const { withoutMissing, ...settled } = withIgnored(object, live, ignoring);
  const labelled = (each: Unstructured): Unstructured => withMissingLabels(each, live, request.owner);
  const both = {
    ...{ ...settled, object: labelled(settled.object) },
    ...(withoutMissing === undefined ? {} : { withoutMissing: labelled(withoutMissing) }),
  };
  return { object, live, takeOver, settled: both };
}

async function write(request: LookRequest, type: ResourceType, object: Unstructured): Promise<Unstructured> {
  const { member, fieldManager, signal } = request.context;
  // What somebody else creates meanwhile is looked at first: see afterConflict.
  if (isCreatable(object)) return create(request.context, type, { object, dryRun: false });
  return member.kube.apply(type, object, { fieldManager, force: true, signal });
}

async function change(
  request: LookRequest,
  type: ResourceType,
  { live, settled, takeOver }: Known,
): Promise<Unstructured> {
  const { member, fieldManager, signal } = request.context;
  const { object, copiesLive } = settled;
  const { metadata } = object;
  const body = takeOver && takeOverPatch(live, takeOver);
  const current =
    body === undefined
      ? live
      : await member.kube.patch<Unstructured>(type, metadata, { type: 'json', body }, { fieldManager, signal });
  // A value that another sets meanwhile is not set back.
  const version = copiesLive ? pick(current.metadata, 'resourceVersion') : {};
  const applied = { ...object, metadata: { ...metadata, ...version } };
  return member.kube.apply(type, applied, { fieldManager, force: true, signal });
}

async function recreation(request: LookRequest, { live, applied, ...refused }: Refused, error: unknown): Promise<Look> {
  // To be read once more: see afterConflict.
  if (error instanceof ConflictError) throw error;
  const refusal = refusalOf(error, refused.object, request.hiding);
  if (live === undefined) throw refusal;
  const prepared = await prepareRecreation(
    { ...request, ...refused, live, applied: applied ?? refused.object },
    refusal,
  );
  return { object: refused.object, action: 'recreated', refusal, write: () => recreate(prepared) };
}

/** How an object is looked at. */
export interface LookOptions {
  /** Its CRD was applied just now. */
  readonly isArriving: boolean;
  /** It is expected not to exist: a dry run that creates it shows whether that is so. Default false. */
  readonly isNew?: boolean;
}

/** What is to be done with an object that exists. Throws why the server refuses the dry run. */
async function compareKnown(request: LookRequest, type: ResourceType, known: Known): Promise<Look> {
  const { member, fieldManager, signal } = request.context;
  const { object, live, settled, takeOver } = known;
  const dryRunOf = (desired: Unstructured): Promise<Unstructured> =>
    member.kube.apply(type, desired, { fieldManager, force: true, signal, dryRun: true });
  const isSame = (desired: Unstructured, dryRun: Unstructured): boolean =>
    isUnchanged(live, dryRun, { desired, fieldManager });
  const dryRun = await dryRunOf(settled.object);
  const takesOver = takeOver !== undefined && takeOverPatch(live, takeOver) !== undefined;
  // An ignored field that is gone is no change by itself.
  const { withoutMissing: rest } = settled;
  const changes = !isSame(settled.object, dryRun) && !(rest && isSame(rest, await dryRunOf(rest)));
  if (!changes && !takesOver) return { object, action: 'unchanged' };
  const write = (): Promise<Unstructured> => change(request, type, known);
  return { object, action: 'configured', write, difference: { live, dryRun }, takesOver };
}

async function compareLive(request: LookRequest, type: ResourceType, object: Unstructured): Promise<Look> {
  const { member, fieldManager, signal } = request.context;
  const live = await member.kube.get<Unstructured>(type, object.metadata, { signal });
  if (live !== undefined && (isIgnored(live) || isOnlyCreated(object))) return { object, action: 'skipped' };
  const known = live && knownOf(request, object, live);
  try {
    if (known !== undefined) return await compareKnown(request, type, known);
    await member.kube.apply(type, object, { fieldManager, force: true, signal, dryRun: true });
    return { object, action: 'created', write: () => write(request, type, object) };
  } catch (error: unknown) {
    return recreation(request, { type, object, live, applied: known?.settled.object }, error);
  }
}

async function compare(
  request: LookRequest,
  object: Unstructured,
  { isArriving, isNew = false }: LookOptions,
): Promise<Look> {
  const { context } = request;
  if (isIgnored(object)) return { object, action: 'skipped' };
  const type = await resolveType(context, object, isArriving);
  const created = isNew
    ? await createIfMissing(context, type, { object, dryRun: true, hiding: request.hiding })
    : undefined;
  if (created === undefined) return compareLive(request, type, object);
  return { object, action: 'created', write: () => write(request, type, object) };
}

/**
 * Reads one object and asks the server, by a dry run, what applying would make of it. Throws why the server refuses it.
 */
export async function look(request: LookRequest, object: Unstructured, options: LookOptions): Promise<Look> {
  const work = (): Promise<Look> => compare(request, object, options);
  try {
    return await afterConflict(work, work);
  } catch (error: unknown) {
    throw error instanceof ConflictError ? refusalOf(error, object, request.hiding) : error;
  }
}
