import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { toEach } from './apply.js';
import type { Pass } from './deps.js';
import { backendOf } from './model/backends/index.js';
import { askedChildren, newRequests, requestsForChild, requestsForSource } from './model/status/console.js';
import type { SourceUse } from './model/destinations/template-use.js';
import type { Outcome } from './model/child/verdicts.js';

interface Target {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly annotations: Readonly<Record<string, string>>;
}

function childTargets(outcomes: readonly Outcome[], requests: Target['annotations']): Target[] {
  return askedChildren(outcomes).map((child) => {
    return { type: backendOf(child).resource, object: child, annotations: requestsForChild(requests, child) };
  });
}

/** Only sources that children use: any other one may belong to somebody else. */
function sourceTargets(uses: readonly SourceUse[], { sources }: Pass, requests: Target['annotations']): Target[] {
  return uses.flatMap(({ ref }) => {
    const cache = sources.get(ref.kind);
    const object = cache?.get(ref);
    if (cache === undefined || object === undefined) return [];
    return [{ type: cache.type, object, annotations: requestsForSource(requests, object) }];
  });
}

/** The children after the steps, and the sources that they use. */
interface Reach {
  readonly outcomes: readonly Outcome[];
  readonly sources: readonly SourceUse[];
}

/** The forwarded requests; none if a write failed. */
interface Passed {
  readonly requests: Target['annotations'];
  readonly errors: readonly unknown[];
}

/**
 * Forwards new requests (requestedAt, forceAt, resetAt) to children and sources, with one merge patch for each that
 * lacks them. The annotations are not part of the applied objects, so newer ones of others are kept.
 */
export async function forwardRequests(
  application: Application,
  { outcomes, sources }: Reach,
  pass: Pass,
): Promise<Passed> {
  const requests = newRequests(application);
  const targets = [...sourceTargets(sources, pass, requests), ...childTargets(outcomes, requests)];
  const patch = async ({ type, object, annotations }: Target): Promise<void> => {
    if (Object.keys(annotations).length === 0) return;
    const body = { metadata: { annotations } };
    const options = { fieldManager: FIELD_MANAGER, signal: pass.signal };
    await pass.kube.patch(type, object.metadata, { type: 'merge', body }, options);
  };
  const errors = await toEach(targets, patch);
  if (errors.length === 0) return { requests, errors };
  const causes = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  const message = `cannot pass on ${Object.keys(requests).join(', ')}: ${causes.join('; ')}`;
  pass.events.record(application, 'Warning', 'RequestFailed', message);
  return { requests: {}, errors };
}
