import pick from 'lodash/pick.js';
import type { ResourceType, Unstructured, ManagedFieldsEntry } from '#api/meta.js';
import { isUnchanged } from '#engine/apply/compare.js';
import { resolveType } from '#engine/apply/resolve-type.js';
import { withIgnored, withoutIgnored, type Settled } from '#engine/drift/model/ignored-fields.js';
import type { IgnoredPath } from '#engine/drift/model/ignored-paths.js';
import { apiStatusOf, ConflictError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';
import { takenOver, takeOverPatch, type TakeOver } from '#lib/kube/managed-fields.js';
import type { ClusterContext } from '#engine/flux/objects.js';
import { withMetadata } from '#engine/flux/model/manifests.js';
import { refusalOf, type Hiding } from '#engine/flux/model/refusal.js';
import type { HolderOf } from './neighbours.js';
import { ownerKeyOf, TakenError } from './model/neighbours.js';
import { create, createIfMissing, prepareRecreation, recreate, wayOut } from './create.js';
import { isCreatable, isIgnored, isMerged, isOnlyCreated, withOwnerLabels, type Owner } from './model/objects.js';

/** As Flux: what users wrote with kubectl, and what an engine wrote before server-side apply, becomes ours. */
export function isTakenOver({ manager = '', operation }: ManagedFieldsEntry, own: string): boolean {
  if (manager.startsWith('kubectl')) return operation === 'Apply' || operation === 'Update';
  return operation === 'Update' && (manager.startsWith('before-first-apply') || manager.startsWith(own));
}

export interface LookRequest {
  readonly context: ClusterContext;
  readonly owner: Owner;
  /** Objects whose immutable fields change are recreated, all of them or those that say so. */
  readonly force: boolean;
  /** Fields of live objects that stay as they are; undefined for none. */
  readonly ignored: (object: Unstructured) => readonly IgnoredPath[] | undefined;
  /** Names the Kustomization that keeps a live object from this owner. */
  readonly holderOf: HolderOf;
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

/** An object that the server does not change into what the source has. */
interface Refused {
  readonly type: ResourceType;
  readonly object: Unstructured;
  readonly live: Unstructured;
  /** What of the object would be applied. */
  readonly settled: Settled;
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
  /** What may differ; undefined if no rule matches. */
  readonly paths: readonly IgnoredPath[] | undefined;
  /** Undefined if nobody's fields are taken over. */
  readonly takeOver: TakeOver | undefined;
}

/** What the server makes of an object that exists, and what of it is applied if that is a change. */
interface Merged {
  readonly dryRun: Unstructured;
  readonly settled: Settled;
}

function takeOverOf({ context }: LookRequest, object: Unstructured, live: Unstructured): TakeOver | undefined {
  if (isMerged(object) || isMerged(live)) return undefined;
  const manager = context.fieldManager;
  return { manager, isTaken: (entry) => isTakenOver(entry, manager) };
}

function knownOf(request: LookRequest, object: Unstructured, live: Unstructured): Known {
  // Selectors see the object as it is going to be, labels of others included.
  const paths = request.ignored(withMetadata(live, object.metadata));
  return { object, live, paths, takeOver: takeOverOf(request, object, live) };
}

/** The object with what is ignored of the live one; `dryRun` is what the server would make of both without that. */
function settle(request: LookRequest, { object, live, paths, takeOver }: Known, dryRun: Unstructured): Settled {
  if (paths === undefined) return { object, isOfLive: false, unclear: undefined };
  const managedFields = takeOver && takenOver(live.metadata.managedFields ?? [], takeOver);
  const owned = managedFields === undefined ? live : { ...live, metadata: { ...live.metadata, managedFields } };
  const settled = withIgnored({ desired: object, live: owned, dryRun }, paths, request.context.fieldManager);
  return { ...settled, object: withOwnerLabels(settled.object, live, request.owner) };
}

/** For want of a dry run: as if the server would set every field that the source has. */
function settleUnasked(request: LookRequest, known: Known): Settled {
  const { managedFields = [] } = known.live.metadata;
  return settle(request, known, { ...known.object, metadata: { ...known.object.metadata, managedFields } });
}

async function write(request: LookRequest, type: ResourceType, object: Unstructured): Promise<Unstructured> {
  const { member, fieldManager, signal } = request.context;
  // What somebody else creates meanwhile is looked at first: see afterConflict.
  if (isCreatable(object)) return create(request.context, type, { object, dryRun: false });
  return member.kube.apply(type, object, { fieldManager, force: true, signal });
}

function isOwn(live: Unstructured, { name, namespace }: Owner): boolean {
  return ownerKeyOf(live) === keyOf({ name, namespace });
}

async function change(
  request: LookRequest,
  type: ResourceType,
  { live, takeOver }: Known,
  { object, isOfLive }: Settled,
): Promise<Unstructured> {
  const { member, fieldManager, signal } = request.context;
  const { metadata } = object;
  const body = takeOver && takeOverPatch(live, takeOver);
  const current =
    body === undefined
      ? live
      : await member.kube.patch<Unstructured>(type, metadata, { type: 'json', body }, { fieldManager, signal });
  // A value that another sets meanwhile is not set back, and of two that take an object over one is first.
  const version = isOfLive || !isOwn(live, request.owner) ? pick(current.metadata, 'resourceVersion') : {};
  const applied = { ...object, metadata: { ...metadata, ...version } };
  return member.kube.apply(type, applied, { fieldManager, force: true, signal });
}

async function recreation(request: LookRequest, refused: Refused, error: unknown): Promise<Look> {
  // To be read once more: see afterConflict.
  if (error instanceof ConflictError) throw error;
  const { object } = refused;
  const refusal = refusalOf(error, object, request.hiding);
  const prepared = await prepareRecreation({ ...request, ...refused }, refusal);
  return { object, action: 'recreated', refusal, write: () => recreate(prepared) };
}

/** How an object is looked at. */
export interface LookOptions {
  /** Its CRD was applied just now. */
  readonly isArriving: boolean;
  /** It is expected not to exist: a dry run that creates it shows whether that is so. Default false. */
  readonly isNew?: boolean;
}

function dryRunOf({ context }: LookRequest, type: ResourceType, object: Unstructured): Promise<Unstructured> {
  const { member, fieldManager, signal } = context;
  return member.kube.apply(type, object, { fieldManager, force: true, signal, dryRun: true });
}

/** Throws why the server refuses the object, unless that is because of what is ignored of it. */
async function merge(request: LookRequest, type: ResourceType, known: Known): Promise<Merged> {
  try {
    const dryRun = await dryRunOf(request, type, known.object);
    return { dryRun, settled: settle(request, known, dryRun) };
  } catch (error: unknown) {
    const settled = settleUnasked(request, known);
    const isOther = settled.object !== known.object && settled.unclear === undefined;
    if (!isOther || apiStatusOf(error)?.reason !== 'Invalid') throw error;
    try {
      return { settled, dryRun: await dryRunOf(request, type, settled.object) };
    } catch {
      // What the server says of the source is the reason.
      throw error;
    }
  }
}

/** What the server makes of the object as it is applied. */
async function checkSettled(
  request: LookRequest,
  type: ResourceType,
  known: Known,
  merged: Merged,
): Promise<Unstructured> {
  const { settled, dryRun } = merged;
  if (settled.unclear !== undefined) {
    throw new TransientError(
      `spec.ignore: ${settled.unclear} means another item of the live object than of the source: ignore the whole list, or order the source as the live object`,
    );
  }
  if (settled.object === known.object) return dryRun;
  try {
    return await dryRunOf(request, type, settled.object);
  } catch (error: unknown) {
    if (error instanceof ConflictError) throw error;
    const refusal = refusalOf(error, known.object, request.hiding);
    throw wayOut('that is because of what spec.ignore leaves as it is: ignore less of it, or undo the change', refusal);
  }
}

/** What is to be done with an object that exists, and that the server takes. */
async function compareKnown(request: LookRequest, type: ResourceType, known: Known, merged: Merged): Promise<Look> {
  const { object, live, paths = [], takeOver } = known;
  const takesOver = takeOver !== undefined && takeOverPatch(live, takeOver) !== undefined;
  const { fieldManager } = request.context;
  const compared = (each: Unstructured): Unstructured => withoutIgnored(each, paths, fieldManager);
  const isSame = isUnchanged(compared(live), compared(merged.dryRun), { desired: object, fieldManager });
  if (isSame && !takesOver) return { object, action: 'unchanged' };
  const dryRun = await checkSettled(request, type, known, merged);
  const write = (): Promise<Unstructured> => change(request, type, known, merged.settled);
  return { object, action: 'configured', write, difference: { live, dryRun }, takesOver };
}

async function lookAtKnown(request: LookRequest, type: ResourceType, known: Known): Promise<Look> {
  let merged: Merged;
  try {
    merged = await merge(request, type, known);
  } catch (error: unknown) {
    const { object, live } = known;
    return recreation(request, { type, object, live, settled: settleUnasked(request, known) }, error);
  }
  return compareKnown(request, type, known, merged);
}

async function compareLive(request: LookRequest, type: ResourceType, object: Unstructured): Promise<Look> {
  const live = await request.context.member.kube.get<Unstructured>(type, object.metadata, {
    signal: request.context.signal,
  });
  if (live !== undefined && (isIgnored(live) || isOnlyCreated(object))) return { object, action: 'skipped' };
  const holder = live && request.holderOf(live);
  if (holder !== undefined) throw new TakenError(object, holder);
  if (live !== undefined) return lookAtKnown(request, type, knownOf(request, object, live));
  try {
    await dryRunOf(request, type, object);
  } catch (error: unknown) {
    throw error instanceof ConflictError ? error : refusalOf(error, object, request.hiding);
  }
  return { object, action: 'created', write: () => write(request, type, object) };
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
