import omit from 'lodash/omit.js';
import type { Application } from '../../api/v1alpha1/application.js';
import type { Finding } from '../dry-run/change-set.js';
import { clusterValues, clusterView } from './clusters.js';
import { indexClusters } from './model/child/cluster.js';
import { eventualChanges, installed } from './model/dry-run.js';
import type { Valid } from './model/destinations/validate.js';
import { worldOf } from './model/children/world-of.js';
import type { World } from './model/children/world.js';
import type { Child, Violation } from './model/child/types.js';
import { decideDeletion } from './model/decide-deletion.js';
import { planChildren } from './model/plan-children.js';
import type { Rendered } from './render.js';
import { readStated, type StatedDeps } from './stated.js';

/** What becomes of the children of an Application. */
export interface Changed extends Omit<Rendered, 'children'> {
  /** In the order of the plan. */
  readonly findings: readonly Finding[];
  readonly unchanged: number;
}

/** Those that its rollout and its history would hold back come in the end, too. */
function atOnce(application: Application): Application {
  return { ...application, spec: omit(application.spec, 'rollout') };
}

/** The world of an Application whose children were all installed, as if nothing else was there. */
function settled(application: Application, validation: Valid, owned: readonly Child[], deps: ChangeDeps): World {
  const names = new Set(owned.map(({ metadata }) => metadata.name));
  return worldOf({
    ...{ application, validation, owned, adoptable: [], complete: true, delayMs: 0, nowMs: deps.now() },
    clusters: clusterView(deps.inventory),
    revisions: undefined,
    unmatchedSince: new Map(),
    isTaken: (name) => names.has(name),
    otherOwnerOf: () => undefined,
    missingOf: () => undefined,
    chartOf: () => undefined,
    sourceOf: () => undefined,
    missingSources: undefined,
    unwatched: undefined,
  });
}

interface ChangeDeps extends StatedDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * What becomes of the children that an Application has once it says something else: what its reconciliations come to,
 * whatever they would wait for. `before`: its children as an earlier `renderApplication` has them. Pending: a template
 * was not validated yet.
 */
export async function changedChildren(
  application: Application,
  before: readonly Child[],
  deps: ChangeDeps,
  signal: AbortSignal,
): Promise<Changed | { readonly violation: Violation } | 'pending'> {
  const stated = await readStated(application, deps, signal);
  if (stated === 'pending' || 'violation' in stated) return stated;
  const { valid, warnings } = stated;
  const resolved = { ...valid.resolved, application: atOnce(valid.resolved.application) };
  const world = settled(application, { ...valid, resolved }, before.map(installed), deps);
  if ('violation' in world.wanted) return world.wanted;
  const plan = planChildren(world, world.wanted);
  const findings = eventualChanges(plan);
  return { findings, unchanged: plan.steps.length - findings.length, rejected: plan.rejected, warnings };
}

/** What becomes of the children of an Application that is deleted. */
export function deletedChildren(application: Application, before: readonly Child[], deps: StatedDeps): Changed {
  const children = before.map(installed);
  const { namespace = '' } = application.metadata;
  const clusters = indexClusters(clusterView(deps.inventory), children.flatMap(clusterValues), namespace);
  const { steps } = decideDeletion(application, children, { clusters });
  const findings = eventualChanges({ steps, wanted: [] });
  return { findings, unchanged: children.length - findings.length, rejected: [], warnings: [] };
}
