import { deploymentResource } from '../../api/core.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { apiStatusOf } from '../../controllers/runtime/pure/errors.js';
import type { ControllerDeployment } from '../install/choices.js';
import { isOurs } from '../install/crd-rules.js';
import { readController } from '../install/package.js';

const LIMIT_MS = 10_000;

/** The Deployment of the controller that `fairlead install` made; undefined without one. */
export async function installedDeployment(kube: Kube): Promise<ControllerDeployment | undefined> {
  const packaged = (await readController()).find(({ kind }) => kind === 'Deployment');
  if (packaged === undefined) return undefined;
  const live = await kube.get(deploymentResource, packaged.metadata, { timeoutMs: LIMIT_MS });
  return live !== undefined && isOurs(live) ? live : undefined;
}

/** Undefined also for users who may not read it. */
export async function readableDeployment(kube: Kube): Promise<ControllerDeployment | undefined> {
  try {
    return await installedDeployment(kube);
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code === 403) return undefined;
    throw error;
  }
}

/** Where the controller is, or would be installed. */
export async function controllerNamespace(installed: ControllerDeployment | undefined): Promise<string> {
  const packaged = (await readController()).find(({ kind }) => kind === 'Deployment');
  return (installed ?? packaged)?.metadata.namespace ?? '';
}
