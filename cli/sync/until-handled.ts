import { setTimeout as delay } from 'node:timers/promises';
import { helmReleaseResource } from '../../api/flux/helm-release.js';
import { kustomizationResource } from '../../api/flux/kustomization.js';
import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { childOf, viewOf } from '../../controllers/read-model/application-view.js';
import { isHandled, type Handling } from '../../controllers/read-model/sync-request.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { EXIT_INTERRUPTED, EXIT_TIMEOUT, ExitError } from '../exit-code.js';

const POLL_MS = 1_000;
const CHILDREN = [helmReleaseResource, kustomizationResource];

interface Request {
  readonly ref: { readonly name: string; readonly namespace: string };
  /** The value of the request. */
  readonly at: string;
  /** Epoch milliseconds after which nobody waits any more. */
  readonly until: number;
  readonly interrupted: AbortSignal;
}

async function childrenOf(kube: Kube, application: Application): Promise<Handling[]> {
  const { namespace } = application.metadata;
  const reads = viewOf(application).destinations.flatMap((destination) => {
    const { kind: wanted, name = '' } = childOf(destination) ?? {};
    const type = CHILDREN.find(({ kind }) => kind === wanted);
    return type === undefined ? [] : [kube.get<Handling>(type, { namespace, name })];
  });
  return (await Promise.all(reads)).filter((child) => child !== undefined);
}

/** Waits until a request has reached an Application and its children: before, all of them may still say Ready. */
export async function untilHandled(kube: Kube, { ref, at, until, interrupted }: Request): Promise<void> {
  for (;;) {
    const application = await kube.get<Application>(applicationResource, ref);
    if (application === undefined) throw new Error('deleted while waiting for it');
    if (isHandled(application, await childrenOf(kube, application), at)) return;
    if (interrupted.aborted) throw new ExitError('interrupted; the request stays', EXIT_INTERRUPTED);
    if (Date.now() > until) throw new ExitError('the request was not carried out in time', EXIT_TIMEOUT);
    await delay(POLL_MS, undefined, { signal: interrupted }).catch(() => undefined);
  }
}
