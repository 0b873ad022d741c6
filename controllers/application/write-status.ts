import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import type { Pass } from './deps.js';
import type { Conclusion } from './model/conclude.js';
import type { NewEvent } from './model/events.js';

/** Records events on the Application. */
export function recordEvents(application: Application, list: readonly NewEvent[], { events }: Pass): void {
  for (const { type, reason, message } of list) events.record(application, type, reason, message);
}

/** Patches the metadata of the observed version. Returns the patched Application. */
export async function patchMetadata(application: Application, change: object, pass: Pass): Promise<Application> {
  const { metadata } = application;
  const body = { metadata: { resourceVersion: metadata.resourceVersion, ...change } };
  const options = { fieldManager: FIELD_MANAGER, signal: pass.signal };
  const written = await pass.kube.patch<Application>(applicationResource, metadata, { type: 'merge', body }, options);
  pass.applications.recordWrite(written);
  return written;
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
