import type { Operation } from 'fast-json-patch';
import type { Unstructured } from '#api/meta.js';
import type { ApplyRequest } from '../apply/types.js';
import { differences } from './difference.js';

/** Fields that may differ: JSON pointers for one object; undefined leaves the whole object alone. */
export type Ignored = (object: Unstructured) => readonly string[] | undefined;

/** A live object that differs from what applying would make of it. */
export interface Difference {
  readonly kind: 'different';
  readonly live: Unstructured;
  readonly dryRun: Unstructured;
  /** What would have to change in `live`. */
  readonly operations: readonly Operation[];
}

/** `left`: it is being deleted, or its differences do not count. */
export type Comparison = { readonly kind: 'same' | 'missing' | 'left' } | Difference;

type Request = Pick<ApplyRequest, 'member' | 'fieldManager' | 'signal'> & {
  /** Most bytes of an answer. */
  readonly maxBytes?: number;
};

/**
 * Compares a live object with what applying `object` would make of it, by a server-side dry run; writes nothing.
 * `object` must have its namespace. A field that it does not set, set by someone else, is no difference. Throws what
 * Kube throws.
 */
export async function compareObject(request: Request, object: Unstructured, ignored: Ignored): Promise<Comparison> {
  const { member, fieldManager, signal, maxBytes } = request;
  const mayDiffer = ignored(object);
  if (mayDiffer === undefined) return { kind: 'left' };
  const type = await member.resourceType(object.apiVersion, object.kind, { signal });
  const live = await member.kube.get<Unstructured>(type, object.metadata, { signal, maxBytes });
  if (live === undefined) return { kind: 'missing' };
  // An object that is being deleted, or that opts out by an annotation, has not drifted.
  if (live.metadata.deletionTimestamp !== undefined || ignored(live) === undefined) return { kind: 'left' };
  const dryRun = await member.kube.apply(type, object, { fieldManager, force: true, dryRun: true, signal, maxBytes });
  const operations = differences(live, dryRun, mayDiffer);
  return operations.length === 0 ? { kind: 'same' } : { kind: 'different', live, dryRun, operations };
}
