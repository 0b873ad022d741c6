import type { Application } from '#api/v1alpha1/application.js';
import { ABANDON_ANNOTATION } from '#api/v1alpha1/labels.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { Abandonment } from './abandonment.js';
import type { ClusterIndex } from './child/cluster.js';
import { childClusterNames, ClusterResolver } from './child/cluster-names.js';
import type { Child } from './child/types.js';
import { firstVerdict, foundFor } from './child/verdicts.js';
import { isTerminating } from './children/state.js';
import {
  haltedIn,
  type Halting,
  haltsOf,
  recordingOf,
  replacedText,
  replacementOf,
  resumptionOf,
} from './clusters/replaced.js';
import { emptyPlan, type Plan, waitingMessage } from './decide.js';
import { POLICY } from './policy/policy.js';
import { removalFor } from './policy/steps.js';
import { plannedEvents } from './status/events.js';
import { type Row, terminatingRow, withNames, withReplaced } from './status/rows.js';

/** What is known of the clusters of the children. */
export interface DeletionView {
  readonly clusters: ClusterIndex;
  /** Flux reconciles the children. */
  readonly isEngineExternal?: boolean | undefined;
}

/** Why a child is not deleted: what it installed is on a cluster that cannot be reached. */
function whyHeld(child: Child, cluster: string, { clusters }: DeletionView): string | undefined {
  const replacement = replacementOf(child, clusters);
  if (replacement === undefined) return undefined;
  return `${replacedText(child, replacement)}, or leave what it installed there: add ${cluster} to the annotation ${ABANDON_ANNOTATION} of the Application`;
}

/** What is suspended goes without an uninstall: first it is resumed where its own cluster answers again. */
function haltingOf(children: readonly Child[], view: DeletionView): Halting[] {
  const { clusters } = view;
  const recordingFor = (child: Child): Halting | undefined =>
    isTerminating(child) ? recordingOf(child, clusters) : undefined;
  const resumed = children.flatMap((child) => resumptionOf(child, undefined, clusters) ?? recordingFor(child) ?? []);
  return [...haltsOf({ ...view, owned: children }), ...resumed];
}

/** Plans the deletion of an Application that still has children. */
export function decideDeletion(
  application: Application,
  children: readonly Child[],
  view: DeletionView,
  { deletions } = POLICY,
): Plan {
  const halting = haltingOf(children, view);
  const switched = haltedIn(halting);
  const untouched = children.filter((child) => !switched.has(child));
  const names = children.map(childClusterNames);
  const abandonment = new Abandonment(application, names);
  const resolver = new ClusterResolver(names);
  const held = foundFor(children, (child) => whyHeld(child, resolver.shown(childClusterNames(child)), view));
  const kept = new Map([...held].filter(([child]) => !abandonment.has(child)));
  const facts = { policy: deletionPolicyOf(application), held: kept };
  const removals = untouched.map((child) => removalFor(child, firstVerdict(deletions, child, facts)));
  const steps = removals.filter(({ op }) => op !== 'spare');
  const whyOf = (child: Child): string | undefined => held.get(child);
  const rowOf = (child: Child): Row =>
    withReplaced(terminatingRow(child, whyOf(child) ?? 'the Application is being deleted'), undefined, view.clusters);
  const missing = { reason: 'Deleting' as const, message: waitingMessage(children, whyOf) };
  const { warnings } = abandonment;
  return {
    ...emptyPlan(application, 'deletion', { missing, rejected: [], warnings }),
    events: plannedEvents(steps),
    steps,
    halting,
    abandoned: abandonment.finalizersOf(untouched),
    rowsAfter: () => withNames(children.map(rowOf)),
  };
}
