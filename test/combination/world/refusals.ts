import type { ObjectRef, ResourceType } from '#api/meta.js';
import { ConflictError, TransientError } from '#lib/errors.js';
import { keyOf } from '#lib/kube/keys.js';

/** The errors that the client makes of the answers of a real API server. */

interface Answer {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** A refusal by the server: ConflictError for a stale write, else TransientError with the status. */
export function refusal({ code, reason, message }: Answer): Error {
  const status = { code, reason, causes: [] };
  return reason === 'Conflict'
    ? new ConflictError(message, { status })
    : new TransientError(message, { status, reason });
}

/** 404 */
export function notFound(type: ResourceType, ref: ObjectRef): Error {
  return refusal({ code: 404, reason: 'NotFound', message: `${type.plural} "${keyOf(ref)}" not found` });
}

/** 409, as for a write of a version that is not the newest. */
export function conflict(type: ResourceType, ref: ObjectRef): Error {
  const message = `Operation cannot be fulfilled on ${type.plural} "${keyOf(ref)}": the object has been modified`;
  return refusal({ code: 409, reason: 'Conflict', message });
}

/** 409, for a create of what is there. */
export function alreadyExists(type: ResourceType, ref: ObjectRef): Error {
  return refusal({ code: 409, reason: 'AlreadyExists', message: `${type.plural} "${keyOf(ref)}" already exists` });
}

/** 422 */
export function invalid(type: ResourceType, ref: ObjectRef, why: string): Error {
  return refusal({ code: 422, reason: 'Invalid', message: `${type.kind} "${keyOf(ref)}" is invalid: ${why}` });
}

/** 403, for a create beyond a ResourceQuota. */
export function quotaExceeded(type: ResourceType, ref: ObjectRef): Error {
  const message = `${type.plural} "${keyOf(ref)}" is forbidden: exceeded quota: revisions`;
  return refusal({ code: 403, reason: 'Forbidden', message });
}

/** 403, for a create in a namespace that is being deleted. */
export function terminating(namespace: string): Error {
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return refusal({ code: 403, reason: 'Forbidden', message });
}
