import { isDeepStrictEqual } from 'node:util';
import { REQUESTED_AT_ANNOTATION } from '#api/flux/annotations.js';
import type { Condition, ResourceType } from '#api/meta.js';
import { onDisk } from '#engine/artifact/disk-error.js';
import { LostArtifactError } from '#engine/artifact/lost-artifact.js';
import type { Cache, PassContext, Result } from '#runtime/controller.js';
import { getCondition, timestamp } from '#lib/kube/conditions.js';
import { CancelledError, ConflictError, ControllerError, isNotFound, TerminalError } from '#lib/errors.js';
import { parseKey } from '#lib/kube/keys.js';
import { dropFinalizer, ensureFinalizer, hasFinalizer, type KindWriter } from '#engine/flux/finalizers.js';
import { artifactOwner, type Deps } from './deps.js';
import { nextFetchMs, type Source, type SourceStatus } from './model/source.js';
import {
  failed,
  isSettled,
  statusPatch,
  succeeded,
  type Failure,
  type Report,
  type StatusContext,
} from './model/status.js';

/** The result of fetching: fields of the new status besides the conditions. */
export interface Fetched<Status extends SourceStatus> {
  readonly reason: string;
  readonly message: string;
  /** What the signature says, if one is asked for. */
  readonly verified?: Report | undefined;
  /** Merged into the status; undefined removes a field. */
  readonly fields: { readonly [Field in keyof Status]?: Status[Field] | undefined };
}

/** What differs from kind to kind. */
export interface SourceKind<T extends Source> {
  readonly cache: Cache<T>;
  /** Throws a ControllerError whose reason names the step that failed. */
  readonly fetch: (deps: Deps, object: T, pass: PassContext) => Promise<Fetched<NonNullable<T['status']>>>;
}

export const FIELD_MANAGER = 'source-controller';

function writerOf(
  { kube }: Deps,
  { cache: { type } }: { readonly cache: { readonly type: ResourceType } },
): KindWriter {
  return { kube, type, fieldManager: FIELD_MANAGER };
}

async function finalize<T extends Source>(
  deps: Deps,
  kind: SourceKind<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(object)) return;
  await deps.store.remove(artifactOwner(object));
  await dropFinalizer(writerOf(deps, kind), object, signal);
}

function toFailure(error: unknown): Failure {
  if (!(error instanceof ControllerError)) {
    const message = 'an unexpected error: see the log of the controller';
    return { reason: 'InternalError', message, outlook: 'retrying' };
  }
  const reason = error.reason ?? 'Failed';
  return { reason, message: error.message, outlook: error instanceof TerminalError ? 'stalled' : 'retrying' };
}

function overlaid(status: SourceStatus, fields: object): SourceStatus {
  const entries = Object.entries<unknown>({ ...status, ...fields });
  // Undefined: no such field.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** If the store lost an artifact and the same bytes are fetched again, they are the artifact in the status. */
function keptArtifact(before: SourceStatus, { artifact }: SourceStatus): Pick<SourceStatus, 'artifact'> {
  if (artifact === undefined || before.artifact === undefined) return {};
  const timeless = { ...artifact, lastUpdateTime: before.artifact.lastUpdateTime };
  return isDeepStrictEqual(timeless, before.artifact) ? { artifact: before.artifact } : {};
}

/** The address of this process may be another one than that of the process which stored the artifact. */
function served({ store }: Pick<Deps, 'store'>, status: SourceStatus): SourceStatus {
  const { artifact } = status;
  if (artifact === undefined) return status;
  const url = store.urlOf(artifact.path);
  return { ...status, artifact: { ...artifact, url }, ...('url' in status ? { url } : {}) };
}

function handledRequest({ metadata }: Source): Pick<SourceStatus, 'lastHandledReconcileAt'> {
  const requested = metadata.annotations?.[REQUESTED_AT_ANNOTATION];
  return requested === undefined ? {} : { lastHandledReconcileAt: requested };
}

function hasNews(before: Condition | undefined, after: Condition): boolean {
  const facts = ({ status, reason, message }: Condition): unknown => ({ status, reason, message });
  return before === undefined || !isDeepStrictEqual(facts(before), facts(after));
}

function announce({ events }: Pick<Deps, 'events'>, object: Source, next: SourceStatus): void {
  const before = getCondition(object.status?.conditions, 'Ready');
  const after = getCondition(next.conditions, 'Ready');
  if (after === undefined || !hasNews(before, after)) return;
  const isNew = object.status?.artifact?.digest !== next.artifact?.digest;
  if (after.status === 'False') events.record(object, 'Warning', after.reason, after.message);
  else events.record(object, 'Normal', isNew ? 'NewArtifact' : after.reason, after.message);
}

/** One patch, and an event about what is new; nothing if the status did not change. */
async function writeStatus(
  deps: Pick<Deps, 'kube' | 'events'>,
  type: ResourceType,
  object: Source,
  next: SourceStatus,
): Promise<void> {
  const status = { ...next, ...handledRequest(object) };
  const patch = statusPatch(object.status ?? {}, status);
  if (patch === undefined) return;
  const options = { subresource: 'status', fieldManager: FIELD_MANAGER } as const;
  try {
    await deps.kube.patch(type, object.metadata, { type: 'merge', body: { status: patch } }, options);
  } catch (error: unknown) {
    if (isNotFound(error)) return;
    throw error;
  }
  announce(deps, object, status);
}

async function attempt<T extends Source>(deps: Deps, kind: SourceKind<T>, object: T, pass: PassContext): Promise<void> {
  const context: StatusContext = { generation: object.metadata.generation ?? 0, now: timestamp(deps.now()) };
  const status = object.status ?? {};
  try {
    const { reason, message, verified, fields } = await onDisk(() => kind.fetch(deps, object, pass));
    const fetched = overlaid(status, fields);
    const next = served(deps, { ...fetched, ...keptArtifact(status, fetched) });
    await writeStatus(
      deps,
      kind.cache.type,
      object,
      succeeded(next, context, { reason, message, verified, stored: next.artifact !== undefined }),
    );
    const { artifact } = next;
    const owner = artifactOwner(object);
    await (artifact === undefined ? deps.store.remove(owner) : deps.store.collect(owner, [artifact.path]));
  } catch (error: unknown) {
    if (error instanceof CancelledError || error instanceof ConflictError) throw error;
    if (error instanceof LostArtifactError && isSettled(status, context.generation)) throw error;
    await writeStatus(deps, kind.cache.type, object, failed(status, context, toFailure(error)));
    throw error;
  }
}

/**
 * Reconciles one source.
 *
 *   gone -> artifacts removed     deleted -> artifacts and finalizer removed     suspended -> nothing
 *   else: finalizer -> fetch (nothing new: artifact kept) -> one status patch, if it differs -> again after the interval
 */
export async function reconcileSource<T extends Source>(
  deps: Deps,
  kind: SourceKind<T>,
  key: string,
  pass: PassContext,
): Promise<Result> {
  const object = kind.cache.get(parseKey(key));
  if (object === undefined) {
    // Usually removed by its finalizer already, which somebody may have taken away.
    await deps.store.remove(artifactOwner({ kind: kind.cache.type.kind, metadata: parseKey(key) }));
    return {};
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    await finalize(deps, kind, object, pass.signal);
    return {};
  }
  if (object.spec.suspend === true) return {};
  await attempt(deps, kind, await ensureFinalizer(writerOf(deps, kind), object, pass.signal), pass);
  const requeueAfterMs = nextFetchMs(object.spec.interval, Math.random());
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}
