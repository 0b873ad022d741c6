import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { isNotFound } from '#lib/errors.js';

/** How objects of one kind are written. */
export interface KindWriter {
  readonly kube: Kube;
  readonly type: ResourceType;
  readonly fieldManager: string;
  /** Told of what the server has after a write of the status. */
  readonly onWritten?: ((object: KubeObject) => void) | undefined;
}

function write<T extends KubeObject>(
  { kube, type, fieldManager }: KindWriter,
  { metadata }: T,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<T> {
  const { name, namespace, resourceVersion } = metadata;
  // A merge patch replaces the whole list, so the list must be the one that was read.
  const body = { metadata: { finalizers, resourceVersion } };
  return kube.patch<T>(type, { name, namespace }, { type: 'merge', body }, { fieldManager, signal });
}

export function hasFinalizer({ metadata: { finalizers = [] } }: KubeObject): boolean {
  return finalizers.includes(FLUX_FINALIZER);
}

/** Adds our finalizer, so that a deletion waits for us; returns the object as written. */
export async function ensureFinalizer<T extends KubeObject>(
  writer: KindWriter,
  object: T,
  signal: AbortSignal,
): Promise<T> {
  if (hasFinalizer(object)) return object;
  return write(writer, object, [...(object.metadata.finalizers ?? []), FLUX_FINALIZER], signal);
}

/** Drops our finalizer. The object may be gone already. */
export async function dropFinalizer(writer: KindWriter, object: KubeObject, signal: AbortSignal): Promise<void> {
  const rest = (object.metadata.finalizers ?? []).filter((each) => each !== FLUX_FINALIZER);
  try {
    await write(writer, object, rest, signal);
  } catch (error: unknown) {
    if (!isNotFound(error)) throw error;
  }
}

/** A deleted object, as the API server has it; undefined if it does not wait for us. */
export async function readDeleted<T extends KubeObject>(
  { kube, type }: KindWriter,
  { metadata }: T,
  signal: AbortSignal,
): Promise<T | undefined> {
  // The status names what is to be removed: a cached one may be old.
  const object = await kube.get<T>(type, metadata, { signal });
  if (object?.metadata.deletionTimestamp === undefined) return undefined;
  return hasFinalizer(object) ? object : undefined;
}
