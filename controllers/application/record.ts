import { isDeepStrictEqual } from 'node:util';
import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import type { Pass } from './context.js';
import type { Verdict } from './model/conditions.js';
import { nextMarks } from './model/marks.js';
import { statusEvents } from './model/row-transitions.js';
import { nextStatus } from './model/status.js';
import type { Happening } from './model/transitions.js';

/** Records events on the Application. */
export function tell(application: Application, happenings: readonly Happening[], { events }: Pass): void {
  for (const { type, reason, message } of happenings) events.record(application, type, reason, message);
}

/**
 * Writes the status if it differs, whole and only over the version that it was made from: a ConflictError means that
 * the cache was old. Returns the Application as it is then.
 */
export async function writeStatus(application: Application, verdict: Verdict, pass: Pass): Promise<Application> {
  const status = nextStatus(application, verdict, pass.now());
  if (isDeepStrictEqual(application.status, status)) return application;
  const next = { ...application, status };
  const options = { fieldManager: FIELD_MANAGER, subresource: 'status', signal: pass.signal } as const;
  const written = await pass.kube.update<Application>(applicationResource, next, options);
  pass.applications.note(written);
  tell(application, statusEvents(application.status, verdict, status), pass);
  return written;
}

/** Writes metadata over the version that it was made from. Returns the Application as it is then. */
export async function patchMetadata(application: Application, change: object, pass: Pass): Promise<Application> {
  const { metadata } = application;
  const body = { metadata: { resourceVersion: metadata.resourceVersion, ...change } };
  const options = { fieldManager: FIELD_MANAGER, signal: pass.signal };
  const written = await pass.kube.patch<Application>(applicationResource, metadata, { type: 'merge', body }, options);
  pass.applications.note(written);
  return written;
}

/** Writes our finalizer, and the labels and annotations that the console reads, if they differ. */
async function writeMarks(application: Application, verdict: Verdict, pass: Pass): Promise<Application> {
  const marks = nextMarks(application, verdict);
  return marks === undefined ? application : patchMetadata(application, marks, pass);
}

/** Writes what a pass found. The status comes last: who waits for its conditions finds everything else in place. */
export async function record(application: Application, verdict: Verdict, pass: Pass): Promise<void> {
  await writeStatus(await writeMarks(application, verdict, pass), verdict, pass);
}
