import omit from 'lodash/omit.js';
import type { Application } from '../../api/v1alpha1/application.js';
import type { Finding } from '../dry-run/change-set.js';
import { clusterView } from './clusters.js';
import { decideDeletion } from './model/decide-deletion.js';
import { eventualChanges, installed } from './model/eventual-changes.js';
import { planChildren } from './model/plan-children.js';
import type { Child, Violation } from './model/types.js';
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

/** What is known of a cluster of children that were all installed. */
function settled(owned: readonly Child[], { inventory }: StatedDeps, nowMs: number) {
  const names = new Set(owned.map(({ metadata }) => metadata.name));
  return {
    owned,
    adoptable: [],
    isTaken: (name: string) => names.has(name),
    otherOwnerOf: () => undefined,
    clusters: clusterView(inventory),
    lacksSecret: () => false,
    unmatchedForMs: () => 0,
    delayMs: 0,
    nowMs,
    revisions: undefined,
    chartOf: () => undefined,
    sourceOf: () => undefined,
    complete: true,
  };
}

/**
 * What becomes of the children that an Application has once it says something else: what its reconciliations come to,
 * whatever they would wait for. `before`: its children as an earlier `renderApplication` has them. Pending: a template
 * was not validated yet.
 */
export async function changedChildren(
  application: Application,
  before: readonly Child[],
  deps: StatedDeps & { readonly now: () => number },
  signal: AbortSignal,
): Promise<Changed | { readonly violation: Violation } | 'pending'> {
  const stated = await readStated(application, deps, signal);
  if (stated === 'pending' || 'violation' in stated) return stated;
  const { valid, warnings } = stated;
  const resolved = atOnce(valid.resolved.application);
  const around = settled(before.map(installed), deps, deps.now());
  const plan = planChildren({ ...around, application: resolved }, valid);
  const findings = eventualChanges(plan);
  return { findings, unchanged: plan.steps.length - findings.length, rejected: plan.rejected, warnings };
}

/** What becomes of the children of an Application that is deleted. */
export function deletedChildren(application: Application, before: readonly Child[], deps: StatedDeps): Changed {
  const children = before.map(installed);
  const { steps } = decideDeletion(application, children, { clusters: clusterView(deps.inventory) });
  const findings = eventualChanges({ steps, wanted: [] });
  return { findings, unchanged: children.length - findings.length, rejected: [], warnings: [] };
}
