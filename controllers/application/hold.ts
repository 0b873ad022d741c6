import pLimit from 'p-limit';
import type { Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import { PARALLEL_WRITES } from './apply.js';
import type { Pass } from './context.js';
import { backendOf } from './model/backends/index.js';
import { deletionPolicyOf } from './model/deletion.js';
import { heldOnly } from './model/ownership.js';
import type { Child } from './model/types.js';

async function hold(child: Child, application: Application, { kube, signal }: Pass): Promise<void> {
  const tie = heldOnly(child, application);
  if (tie === undefined) return;
  const body = { metadata: { resourceVersion: child.metadata.resourceVersion, ...tie } };
  await kube.patch(
    backendOf(child).resource,
    child.metadata,
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER, signal },
  );
}

/**
 * While the policy is `Orphan` no child has its Application as owner, those that nothing else is written to (of a
 * rejected entry, spared, or while the Application as a whole is stalled) included. Returns what failed; one failure
 * never stops another.
 */
export async function holdWithoutOwner(
  application: Application,
  children: readonly Child[],
  pass: Pass,
): Promise<unknown[]> {
  if (deletionPolicyOf(application) !== 'Orphan') return [];
  const limit = pLimit(PARALLEL_WRITES);
  const staying = children.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const results = await Promise.allSettled(staying.map((child) => limit(() => hold(child, application, pass))));
  return results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
}
