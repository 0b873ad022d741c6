import { FLUX_FINALIZER } from '../../api/flux/annotations.js';
import type { Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import { mayDelete } from '../deletion/rule.js';
import type { Pass } from './context.js';
import { backendOf } from './model/backends/index.js';
import { isAbandoned } from './model/deletion.js';
import { describeChild } from './model/messages.js';
import type { Child } from './model/types.js';

function mayGo(child: Child, application: Application): boolean {
  const isLeaving = child.metadata.deletionTimestamp !== undefined;
  const isAsked = isAbandoned(application, child);
  return mayDelete({ subject: 'finalizer', intent: 'abandon', isOurs: true, isLeaving, isAsked }).allowed;
}

async function letGo(child: Child, application: Application, { kube, events, signal }: Pass): Promise<void> {
  const { resourceVersion, finalizers = [] } = child.metadata;
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((name) => name !== FLUX_FINALIZER) } };
  await kube.patch(
    backendOf(child).resource,
    child.metadata,
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER, signal },
  );
  const message = `${describeChild(child)} was abandoned: what it installed was not removed`;
  events.record(application, 'Warning', 'Abandoned', message);
}

/**
 * Lets those children go that are being deleted and whose cluster the user gave up: nobody waits for an uninstall any
 * more, and what runs there stays. Returns what failed; one failure never stops another.
 */
export async function letGoAbandoned(
  application: Application,
  children: readonly Child[],
  pass: Pass,
): Promise<unknown[]> {
  const held = children.filter(({ metadata }) => metadata.finalizers?.includes(FLUX_FINALIZER) === true);
  const leaving = held.filter((child) => mayGo(child, application));
  const results = await Promise.allSettled(leaving.map((child) => letGo(child, application, pass)));
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}
