import type { ApplicationReason } from '../../../api/v1alpha1/conditions.js';
import { APPLIED_DIGEST_ANNOTATION } from '../../../api/v1alpha1/labels.js';
import type { ChildFacts } from '../../deletion/facts.js';
import { mayDelete } from '../../deletion/rule.js';
import { includes } from '../../runtime/pure/subset.js';
import { changedPaths, listPaths } from './changes.js';
import { kindOfChild, type ChildKind } from './child-kind.js';
import { clusterText } from './identity.js';
import { describeChild } from './messages.js';
import { belongAlike, isOfOneApplication } from './ownership.js';
import type { Child, ChildSpec, DesiredChild, RejectedEntry, Step } from './types.js';

/** Why a child is written that belonged to nobody, or to an earlier Application of the name. */
export const ADOPTION = 'taken over';

/** What a plan is made of. */
export interface PlanInput {
  readonly desired: readonly DesiredChild[];
  readonly rejected: readonly RejectedEntry[];
  /** The child of each rejected entry, which is left as it is. */
  readonly rejectedChild: (rejected: RejectedEntry) => Child | undefined;
  /** Children of the Application that no entry has. */
  readonly unmatched: readonly Child[];
  /** False when the list of children may lack some, or hold old ones. */
  readonly complete: boolean;
}

function digestIn(child: Child): string | undefined {
  return child.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION];
}

const CHART_VERSION_PATH = 'chart.spec.version';

function chartVersion(spec: ChildSpec): string | undefined {
  // The chart template is ours or Flux's schema; anything else reads as no version.
  const chart = spec['chart'] as { spec?: { version?: string } } | undefined;
  return chart?.spec?.version;
}

/** What changed in the spec: the paths of the fields; a chart version with both values. Field order does not matter. */
function changesOf(live: ChildSpec, desired: ChildSpec): string {
  const [from, to] = [chartVersion(live), chartVersion(desired)];
  const paths = changedPaths(live, desired);
  if (from === to) return listPaths(paths);
  const others = paths.filter((path) => path !== CHART_VERSION_PATH);
  return listPaths([`chart version ${from ?? '*'} -> ${to ?? '*'}`, ...others]);
}

/** Why `live` must be written, or undefined when it is as desired. */
function whyUpdate(live: Child, desired: Child): string | undefined {
  const sameDigest = digestIn(live) === digestIn(desired);
  const asDesired = includes(live.spec, desired.spec) && includes(live.metadata.labels, desired.metadata.labels);
  if (!belongAlike(live, desired)) return isOfOneApplication(live, desired) ? 'changed its owner' : ADOPTION;
  if (sameDigest && asDesired) return undefined;
  const changes = changesOf(live.spec, desired.spec);
  const what = changes === '' ? 'labels and annotations' : changes;
  return sameDigest ? `changed by someone else: ${what}` : `changed ${what}`;
}

/** True when two releases live side by side: what one leaves behind, the other may trip over. */
function isNeighbour(child: Child, spec: ChildSpec): boolean {
  if (clusterText(child.spec.kubeConfig) !== clusterText(spec.kubeConfig)) return false;
  const namespaces = [child.spec.targetNamespace, spec.targetNamespace];
  // Files without a target namespace may lie in any.
  return namespaces.includes(undefined) || namespaces[0] === namespaces[1];
}

function stepFor(desired: DesiredChild, leaving: readonly Child[]): Step {
  const { entry, object, live } = desired;
  if (live !== undefined && isLeaving(live)) {
    return { op: 'wait', entry, live, why: `${describeChild(live)} is being deleted` };
  }
  if (live !== undefined) {
    const why = whyUpdate(live, object);
    return why === undefined
      ? { op: 'keep', entry, live, why: 'unchanged' }
      : { op: 'update', entry, object, live, why };
  }
  const inTheWay = leaving.find((child) => isNeighbour(child, object.spec));
  if (inTheWay === undefined) return { op: 'create', entry, object, why: 'new destination' };
  return { op: 'wait', entry, live: undefined, why: `waits until ${describeChild(inTheWay)} is gone` };
}

function isLeaving(child: Child): boolean {
  return child.metadata.deletionTimestamp !== undefined;
}

/** Reasons that leave open which child an entry means, even if one was found for it. */
const UNCLEAR: readonly ApplicationReason[] = [
  'DestinationMissing',
  'DuplicateDestination',
  'InvalidName',
  'ReleaseConflict',
];

/** For each kind of child the first rejected entry that may have meant any of them. */
function doubtfulEntries({ rejected, rejectedChild }: PlanInput): Map<ChildKind, string> {
  const doubtful = rejected.filter(
    (each) => UNCLEAR.includes(each.violation.reason) || rejectedChild(each) === undefined,
  );
  return new Map(doubtful.reverse().map(({ entry }) => [entry.release.kind, entry.path]));
}

type Removal = Extract<Step, { op: 'delete' | 'spare' }>;

function removal(live: Child, { complete }: PlanInput, doubtful: ReadonlyMap<ChildKind, string>): Removal {
  const facts: ChildFacts = {
    subject: 'child',
    intent: 'unwanted',
    owned: true,
    isLeaving: isLeaving(live),
    complete,
    policy: 'Delete',
    doubtfulEntry: doubtful.get(kindOfChild(live)),
    isLeftover: false,
    leftoversMayGo: false,
    isSuspended: live.spec.suspend === true,
  };
  const { allowed, why } = mayDelete(facts);
  return { op: allowed ? 'delete' : 'spare', live, why };
}

function rejectedStep(rejected: RejectedEntry, live: Child | undefined): Step {
  return { op: 'wait', entry: rejected.entry, live, why: rejected.violation.message };
}

/**
 * What to do about each child, in the order of the entries and deletes last. Nothing is deleted that the deletion rule
 * spares; a new child waits until its neighbour (same cluster and namespace) that goes is gone.
 */
export function planSteps(input: PlanInput): Step[] {
  const doubtful = doubtfulEntries(input);
  const removals = input.unmatched.map((child) => removal(child, input, doubtful));
  const leaving = removals.filter(({ op, live }) => op === 'delete' || isLeaving(live)).map(({ live }) => live);
  return [
    ...input.desired.map((desired) => stepFor(desired, leaving)),
    ...input.rejected.map((rejected) => rejectedStep(rejected, input.rejectedChild(rejected))),
    ...removals,
  ];
}
