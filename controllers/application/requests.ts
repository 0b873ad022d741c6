import pLimit from 'p-limit';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import type { Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER } from '../../api/v1alpha1/labels.js';
import { PARALLEL_WRITES } from './apply.js';
import type { Pass } from './context.js';
import { resourceOf } from './model/child-kind.js';
import { sourceOf } from './model/flux-spec.js';
import { newRequests, requestsForChild, requestsForSource } from './model/requests.js';
import type { Outcome } from './model/types.js';

interface Target {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Children that were there before: a new one is worked on anyway. */
function childTargets(outcomes: readonly Outcome[], requests: Target['annotations']): Target[] {
  return outcomes.flatMap(({ step, child, error }) => {
    if (child === undefined || error !== undefined || !(step.op === 'keep' || step.op === 'update')) return [];
    return [{ type: resourceOf(child), object: child, annotations: requestsForChild(requests, child) }];
  });
}

function sourceTargets(application: Application, { sources }: Pass, requests: Target['annotations']): Target[] {
  const source = sourceOf(application);
  const cache = source === undefined ? undefined : sources.get(source.kind);
  if (source === undefined || cache === undefined) return [];
  const object = cache.get({ namespace: source.namespace ?? application.metadata.namespace, name: source.name });
  if (object === undefined) return [];
  return [{ type: cache.type, object, annotations: requestsForSource(requests, object) }];
}

/**
 * Passes on what the Application was newly asked for (requestedAt, forceAt, resetAt), to children and source: one merge
 * patch for each that lacks it. The annotations are not part of what is applied, so whoever sets newer ones keeps them.
 * Throws what the server answered; then nothing counts as passed on.
 */
export async function passOnRequests(application: Application, outcomes: readonly Outcome[], pass: Pass) {
  const requests = newRequests(application);
  const targets = [...sourceTargets(application, pass, requests), ...childTargets(outcomes, requests)];
  const limit = pLimit(PARALLEL_WRITES);
  const patch = async ({ type, object, annotations }: Target): Promise<void> => {
    if (Object.keys(annotations).length === 0) return;
    const body = { metadata: { annotations } };
    const options = { fieldManager: FIELD_MANAGER, signal: pass.signal };
    await pass.kube.patch(type, object.metadata, { type: 'merge', body }, options);
  };
  await Promise.all(targets.map((target) => limit(() => patch(target))));
  return requests;
}
