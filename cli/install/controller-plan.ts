import type { KubeObject } from '#api/meta.js';
import { keyOf } from '#lib/kube/keys.js';
import type { ControllerDeployment } from '#queries/plans/installed-flags.js';
import type { Kube } from '#runtime/client/kube.js';
import { ResourceTypes } from '../command/objects.js';
import { chosenDeployment, removedFlags, type Told, unknownFlags } from './choices.js';
import { isOurs } from './crd-rules.js';
import { isBeforeRights, isForEngine, readController } from './package.js';
import { begunProfile, getsClusterAdmin, recordedProfile, withRecord } from './rights.js';

/** The step for one object of the controller; `why` is for the user. */
export interface ObjectStep {
  readonly object: KubeObject;
  readonly action: 'apply' | 'leave' | 'refuse';
  readonly why: string;
}

/**
 * An object of somebody else is never overwritten unless the user says so. Their namespace is used as it is: it gets no
 * label of ours, so that an uninstallation leaves it.
 */
export function objectStep(object: KubeObject, live: KubeObject | undefined, takeOver: boolean): ObjectStep {
  if (live === undefined) return { object, action: 'apply', why: 'not installed yet' };
  if (isOurs(live)) return { object, action: 'apply', why: 'installed by Fairlead' };
  if (object.kind === 'Namespace') return { object, action: 'leave', why: 'somebody else created it' };
  if (takeOver) return { object, action: 'apply', why: 'taken over' };
  return { object, action: 'refuse', why: 'somebody else installed it: --take-over replaces it' };
}

/** The controller that is to be installed, and what is there of it. */
export interface ControllerPlan {
  /** What the user told, now or when an installation was interrupted. */
  readonly told: Told;
  readonly steps: readonly ObjectStep[];
  readonly packaged: ControllerDeployment;
  readonly chosen: ControllerDeployment;
  /** Whether the embedded engine gets cluster-admin. */
  readonly isClusterAdmin: boolean;
  /** Whether a controller is installed already. */
  readonly isUpgrade: boolean;
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

interface Found {
  readonly object: KubeObject;
  readonly live: KubeObject | undefined;
}

async function findObjects(kube: Kube): Promise<Found[]> {
  const types = new ResourceTypes(kube);
  const objects = await readController();
  return Promise.all(
    objects.map(async (object) => ({ object, live: await kube.get(await types.of(object), object.metadata) })),
  );
}

function theOnly(found: readonly Found[], kind: string): Found {
  const only = found.find(({ object }) => object.kind === kind);
  if (only === undefined) throw new Error(`the package has no ${kind}`);
  return only;
}

function oursIn({ live }: Found): KubeObject | undefined {
  return live !== undefined && isOurs(live) ? live : undefined;
}

/** Reads what is installed and decides what to apply. Throws, before anything is written, when it must not be. */
export async function planController(
  kube: Kube,
  { takeOver, ...flags }: Told & { readonly takeOver: boolean },
): Promise<ControllerPlan> {
  const found = await findObjects(kube);
  refuse(found.map(({ object, live }) => objectStep(object, live, takeOver)));
  const [recording, deployment] = [found.filter(({ object }) => isBeforeRights(object)), theOnly(found, 'Deployment')];
  const installed: ControllerDeployment | undefined = oursIn(deployment);
  refuseFlags(installed);
  const ofEngine = found
    .filter(({ object, live }) => isForEngine(object) && live !== undefined)
    .map(({ object }) => object);
  const begun = begunProfile(recordedProfile(recording.map(oursIn)), { installed, ofEngine });
  const told = { ...flags, profile: flags.profile ?? begun };
  const isClusterAdmin = getsClusterAdmin({ profile: told.profile, installed, ofEngine });
  const chosen = chosenDeployment(deployment.object, installed, told);
  const record = isClusterAdmin ? 'cluster' : 'tenant';
  const wanted = new Map([
    [deployment.object, chosen],
    ...recording.map(({ object }) => [object, withRecord(object, record)] as const),
  ]);
  const steps = found.map(({ object, live }) => objectStep(wanted.get(object) ?? object, live, takeOver));
  const removed = removedFlags(installed, told);
  const isUpgrade = installed !== undefined;
  return { told, steps, packaged: deployment.object, chosen, isClusterAdmin, isUpgrade, removed };
}
