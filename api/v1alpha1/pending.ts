import type Type from 'typebox';
import { integer, list, object, oneOf, optional, text, time } from '../schema.js';

/** What a destination may wait for, and what that means: first what somebody has to decide. */
export const PENDING_REASONS = {
  Approval: 'Its stage waits for an approval; the condition RolledOut has the command.',
  Removal:
    'It is to be removed, or uninstalled first, and that has to wait: for an approval, or because something is not known.',
  Failures: 'More destinations of its stage, or of an earlier one, failed than failureBudget allows.',
  RolledBack: 'The revision is rolled back.',
  Paused: 'The rollout is paused.',
  Pinned: 'It is pinned to an earlier revision.',
  Suspended: 'It is suspended.',
  ClusterPaused: 'Its cluster is paused.',
  Credential: 'There is no credential for its cluster.',
  Unreachable: 'Its cluster cannot be reached.',
  ClusterNotReady: 'Its cluster is not ready yet, by the object that describes it.',
  Gate: 'The expression ready of its entry is not true for the cluster.',
  Dependency: 'What it depends on is not ready.',
  Source: 'Its source is not ready.',
  Release: 'Another child must give way first, or may be meant by the entry.',
  Budget: 'As many destinations of its stage are updating or unavailable as its limits allow.',
  Window: 'It waits for a maintenance window.',
  Bake: 'The bakeTime of the stage before it has not passed.',
  Stage: 'It waits for an earlier stage.',
} as const;
export type PendingReason = keyof typeof PENDING_REASONS;

const from = optional(
  integer('Revision of the Application that it has; not set if none is kept, or nothing is installed.'),
);
const to = optional(integer('Revision that it waits for; not set if none is kept, or it is to be removed.'));
const reason = oneOf('What it waits for.', Object.keys(PENDING_REASONS) as PendingReason[]);
const since = time('Since when it waits.');

/** What a destination of `status.destinations` waits for. */
export const DestinationWait = object('What it waits for, if it does; see pending.', {
  from,
  to,
  reason: text('Reason, one of those of pending.'),
  since,
});

const PendingDestination = object('A destination that waits.', {
  name: text('Name of the entry, or the key of its destination.'),
  cluster: text('Name of the cluster.'),
  namespace: optional(text('Target namespace.')),
  release: optional(text('Name of the Helm release; not set for a kustomization.')),
  from,
  to,
  change: optional(text('What would change: installation, removal, or fields, without their values.')),
  reason,
  message: text('The same in words.'),
  since,
});

/** `status.pending` */
export const Pending = object('Destinations that wait, if any do.', {
  total: integer('Number of destinations that wait.'),
  destinations: list('The first of them, by reason and name.', PendingDestination, { maxItems: 20 }),
});
export type Pending = Type.Static<typeof Pending>;

const RANKS: ReadonlyMap<string, number> = new Map(Object.keys(PENDING_REASONS).map((each, rank) => [each, rank]));

/** Where a destination is, as rows say it. */
export interface Identified {
  readonly name: string;
  readonly cluster?: string;
  readonly namespace?: string | undefined;
  readonly release?: string | undefined;
}

/** The same for one destination in every status. */
export function identityOf({ name, cluster, namespace, release }: Identified): string {
  return JSON.stringify([name, cluster, namespace ?? null, release ?? null]);
}

/** The same for one change of a destination: of one name, another one may be removed meanwhile. */
export function waitIdentityOf(row: Identified, { to }: { readonly to?: number | undefined }): string {
  return `${identityOf(row)} ${to ?? ''}`;
}

/** Orders destinations that wait: what somebody has to decide comes first. */
export function comparePending(a: Identified & { reason: string }, b: Identified & { reason: string }): number {
  const [left = 0, right = 0] = [RANKS.get(a.reason), RANKS.get(b.reason)];
  return left - right || (identityOf(a) < identityOf(b) ? -1 : 1);
}
