import { secretResource } from '#api/core.js';
import type { ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { TransientError, ConflictError } from '#lib/errors.js';
import { capiResource, CHILD_RESOURCES } from '../world/kinds.js';
import type { World } from '../world/world.js';
import { performOnApplication } from './perform-applications.js';
import { performOnInventory, performOnMember } from './perform-clusters.js';
import { performOnObject } from './perform-objects.js';
import type { ProcessStep, Step, StepName } from './steps.js';

const NEWS: Readonly<Record<string, readonly ResourceType[]>> = {
  Application: [applicationResource],
  children: CHILD_RESOURCES,
  inventory: [secretResource, capiResource],
};

function performOnProcess(world: World, step: ProcessStep): boolean {
  if (step.do === 'restart') world.restart();
  else if (step.do === 'crash') world.process.dieAfter(step.afterWrites);
  else if (step.do === 'fresh') world.process.releaseNews();
  else world.process.delayNews(step.kinds.flatMap((kind) => NEWS[kind] ?? []));
  return true;
}

type Performers = {
  readonly [Name in StepName]: (world: World, step: Extract<Step, { readonly do: Name }>) => boolean;
};

const PERFORM: Performers = {
  create: performOnApplication,
  edit: performOnApplication,
  annotate: performOnApplication,
  delete: performOnApplication,
  approve: performOnApplication,
  pin: performOnApplication,
  unpin: performOnApplication,
  child: performOnObject,
  plain: performOnObject,
  template: performOnObject,
  commit: performOnObject,
  restore: performOnObject,
  deleteNamespace: performOnObject,
  quota: performOnObject,
  join: performOnInventory,
  label: performOnInventory,
  lose: performOnInventory,
  rename: performOnInventory,
  lead: performOnInventory,
  pauseCluster: performOnInventory,
  readyCluster: performOnInventory,
  accept: performOnInventory,
  down: performOnMember,
  up: performOnMember,
  slow: performOnMember,
  fast: performOnMember,
  mend: performOnMember,
  break: performOnMember,
  crash: performOnProcess,
  restart: performOnProcess,
  stale: performOnProcess,
  fresh: performOnProcess,
  wait: () => true,
  jump: (world, { by }) => {
    world.jump(by);
    return true;
  },
};

/** Does what a step says, without its consequences. False: it means nothing here, or the server refuses it. */
export function doStep(world: World, step: Step): boolean {
  try {
    const perform = PERFORM[step.do] as (world: World, step: Step) => boolean; // the one for steps of this name
    return perform(world, step);
  } catch (error: unknown) {
    // The API server refused the step, so nothing happened.
    if (error instanceof TransientError || error instanceof ConflictError) return false;
    throw error;
  }
}
