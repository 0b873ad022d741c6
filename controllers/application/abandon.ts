import { FLUX_FINALIZER } from '../../api/flux/annotations.js';
import type { Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import { describeChild } from './model/messages.js';
import type { Child } from './model/types.js';

async function abandon(child: Child, application: Application, { kube, events, signal }: Pass): Promise<void> {
  const { resourceVersion, finalizers = [] } = child.metadata;
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((name) => name !== FLUX_FINALIZER) } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await kube.patch(backendOf(child).resource, child.metadata, { type: 'merge', body }, options);
  const message = `${describeChild(child)} was abandoned: what it installed was not removed`;
  events.record(application, 'Warning', 'Abandoned', message);
}

/** Takes the finalizer of the engine off children whose cluster was given up. Returns what failed. */
export async function letGoAbandoned(
  application: Application,
  children: readonly Child[],
  pass: Pass,
): Promise<unknown[]> {
  const results = await Promise.allSettled(children.map((child) => abandon(child, application, pass)));
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}
