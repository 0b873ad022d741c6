import pLimit from 'p-limit';
import type { Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import { PARALLEL_WRITES } from './apply.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import { heldOnly } from './model/ownership.js';
import type { Child } from './model/types.js';

async function hold(child: Child, application: Application, { kube, signal }: Pass): Promise<void> {
  const tie = heldOnly(child, application);
  if (tie === undefined) return;
  const body = { metadata: { resourceVersion: child.metadata.resourceVersion, ...tie } };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await kube.patch(backendOf(child).resource, child.metadata, { type: 'merge', body }, options);
}

/** Takes the owner off children and ties them by annotation instead. Returns what failed. */
export async function holdWithoutOwner(
  application: Application,
  children: readonly Child[],
  pass: Pass,
): Promise<unknown[]> {
  const limit = pLimit(PARALLEL_WRITES);
  const results = await Promise.allSettled(children.map((child) => limit(() => hold(child, application, pass))));
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}
