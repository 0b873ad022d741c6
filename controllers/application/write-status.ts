import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import type { Pass } from './deps.js';
import type { Count } from './model/clusters/removals.js';
import type { Conclusion } from './model/conclude.js';
import type { NewEvent } from './model/status/events.js';

/** Records events on the Application. */
export function recordEvents(application: Application, list: readonly NewEvent[], { events }: Pass): void {
  for (const { type, reason, message } of list) events.record(application, type, reason, message);
}

type Change = { readonly metadata: object } | { readonly status: object };

/** Merge patch of the observed version. Returns the patched Application. */
async function patchObserved({ metadata }: Application, change: Change, pass: Pass): Promise<Application> {
  const { resourceVersion } = metadata;
  const body =
    'status' in change
      ? { metadata: { resourceVersion }, ...change }
      : { metadata: { resourceVersion, ...change.metadata } };
  const subresource = 'status' in change ? ({ subresource: 'status' } as const) : {};
  const options = { fieldManager: FIELD_MANAGER, ...subresource, signal: pass.signal };
  const written = await pass.kube.patch<Application>(applicationResource, metadata, { type: 'merge', body }, options);
  pass.applications.recordWrite(written);
  return written;
}

/** Patches the metadata of the observed version. Returns the patched Application. */
export function patchMetadata(application: Application, change: object, pass: Pass): Promise<Application> {
  return patchObserved(application, { metadata: change }, pass);
}

/** Counts removals in the status of the observed version: a process that ends in between removes no more than it may. */
export function countRemovals(application: Application, removals: Count, pass: Pass): Promise<Application> {
  return patchObserved(application, { status: { removals } }, pass);
}

/**
 * Writes metadata and status of the observed version: a ConflictError means that the cache was outdated. The status is
 * written last: everything else is in place when its conditions become true.
 */
export async function writeStatus({ application, metadata, status, events }: Conclusion, pass: Pass): Promise<void> {
  const current = metadata === undefined ? application : await patchMetadata(application, metadata, pass);
  if (status === undefined) return;
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status', signal: pass.signal } as const;
  const written = await pass.kube.update<Application>(applicationResource, { ...current, status }, options);
  pass.applications.recordWrite(written);
  recordEvents(current, events, pass);
}
