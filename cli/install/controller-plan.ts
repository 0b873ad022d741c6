import type { Kube } from '../../controllers/runtime/kube.js';
import { keyOf } from '../../controllers/runtime/pure/keys.js';
import { ResourceTypes } from '../resource-types.js';
import { chosenDeployment, removedFlags, unknownFlags, type ControllerDeployment, type Told } from './choices.js';
import { isOurs } from './crd-rules.js';
import { objectStep, type ObjectStep } from './object-rules.js';
import { isForEngine, readController } from './package.js';
import { getsClusterAdmin } from './rights.js';

/** The controller that is to be installed, and what is there of it. */
export interface ControllerPlan {
  readonly steps: readonly ObjectStep[];
  readonly packaged: ControllerDeployment;
  readonly chosen: ControllerDeployment;
  /** Whether the embedded engine gets cluster-admin. */
  readonly isClusterAdmin: boolean;
  /** Flags of the installed controller that the profile removes. */
  readonly removed: readonly string[];
}

function refuse(steps: readonly ObjectStep[]): void {
  const refused = steps.filter(({ action }) => action === 'refuse');
  const [first] = refused;
  if (first === undefined) return;
  const names = refused.map(({ object: { kind, metadata } }) => `${kind} ${keyOf(metadata)}`);
  throw new Error(`nothing was installed; ${names.join(', ')}: ${first.why}`);
}

function refuseFlags(live: ControllerDeployment | undefined): void {
  const [flag] = live === undefined ? [] : unknownFlags(live);
  if (live === undefined || flag === undefined) return;
  const { name, namespace = '' } = live.metadata;
  throw new Error(
    `nothing was installed; the installed controller has the flag ${flag}, which this version does not know: remove it with \`kubectl -n ${namespace} edit deployment ${name}\``,
  );
}

/** Reads what is installed and decides what to apply. Throws, before anything is written, when it must not be. */
export async function planController(kube: Kube, told: Told & { readonly takeOver: boolean }): Promise<ControllerPlan> {
  const types = new ResourceTypes(kube);
  const objects = await readController();
  const found = await Promise.all(
    objects.map(async (object) => ({ object, live: await kube.get(await types.of(object), object.metadata) })),
  );
  refuse(found.map(({ object, live }) => objectStep(object, live, told.takeOver)));
  const deployment = found.find(({ object }) => object.kind === 'Deployment');
  if (deployment === undefined) throw new Error('the package has no Deployment');
  const installed = deployment.live !== undefined && isOurs(deployment.live) ? deployment.live : undefined;
  refuseFlags(installed);
  const chosen = chosenDeployment(deployment.object, installed, told);
  const steps = found.map(({ object, live }) =>
    objectStep(object === deployment.object ? chosen : object, live, told.takeOver),
  );
  const ofEngine = found
    .filter(({ object, live }) => isForEngine(object) && live !== undefined)
    .map(({ object }) => object);
  const isClusterAdmin = getsClusterAdmin({ profile: told.profile, installed, ofEngine });
  const removed = removedFlags(installed, told);
  return { steps, packaged: deployment.object, chosen, isClusterAdmin, removed };
}
