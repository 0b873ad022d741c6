import { deploymentResource } from '#api/core.js';
import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import type { ControllerDeployment } from './installed-flags.js';

const LIMIT_MS = 10_000;

/** The Deployment of the controller in `config/manager`. */
export const CONTROLLER = { namespace: 'fairlead-system', name: 'fairlead-controller' };

/** The Deployment of the controller that `fairlead install` made; undefined without one. */
export async function installedDeployment(
  kube: Pick<Kube, 'get'>,
  options: RequestOptions = {},
): Promise<ControllerDeployment | undefined> {
  const asked = { timeoutMs: LIMIT_MS, ...options };
  const live = await kube.get<ControllerDeployment>(deploymentResource, CONTROLLER, asked);
  return live?.metadata.labels?.[PART_OF_LABEL] === PART_OF_FAIRLEAD ? live : undefined;
}

/** Undefined also for users who may not read it. */
export async function readableDeployment(
  kube: Pick<Kube, 'get'>,
  options: RequestOptions = {},
): Promise<ControllerDeployment | undefined> {
  try {
    return await installedDeployment(kube, options);
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === 403) return undefined;
    throw error;
  }
}
