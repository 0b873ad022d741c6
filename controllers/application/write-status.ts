import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { patchMetadata, recordEvents } from './act.js';
import type { Pass } from './deps.js';
import type { Conclusion } from './model/conclude.js';

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
