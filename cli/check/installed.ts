import { deploymentResource } from '../../api/core.js';
import type { Kube } from '../../controllers/runtime/kube.js';
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
