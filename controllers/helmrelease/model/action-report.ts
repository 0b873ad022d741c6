import type { InventoryEntry } from '#api/flux/common.js';
import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { getCondition } from '#lib/kube/conditions.js';
import { printDuration } from '#lib/duration.js';
import type { Correction } from '#engine/flux/model/types.js';
import type { FailedAction } from './next-action.js';
import { failureMessage, type Attempted } from './conditions.js';
import type { Plan } from './decide.js';
import { configDigest } from './digest.js';
import { interruptedAction, type ValuesNow } from './interrupted.js';
import { withNamespaceHint } from './namespace.js';
import { withObserved } from './observed-digests.js';
import type { ReleaseRecord } from './release.js';
import { activeRemediation } from './remediation.js';
import { ociDigestOf, snapshotOf, testHooksOf, type Snapshot } from './snapshot.js';
import { released, releaseFailed, remediated, tested, unlocked, type StatusContext } from './status.js';
import type { HelmRelease } from './types.js';

const CRD = /_apiextensions\.k8s\.io_CustomResourceDefinition$/;

/** Inventory after an action that may have failed midway. CRDs are never deleted, so known ones stay listed. */
export function keepCrds(known: readonly InventoryEntry[], entries: readonly InventoryEntry[]): InventoryEntry[] {
  const ids = new Set(entries.map(({ id }) => id));
  return [...known.filter(({ id }) => CRD.test(id) && !ids.has(id)), ...entries];
}

type Entries = readonly InventoryEntry[];

/** An install or upgrade after its chart was rendered. */
export interface Released {
  readonly kind: 'released';
  readonly action: 'install' | 'upgrade';
  readonly attempted: Attempted;
  /** Absent when the action failed before it created a revision. */
  readonly record: ReleaseRecord | undefined;
  readonly error: string | undefined;
  readonly missingNamespace: string | undefined;
  /** Objects of the revision; undefined when they could not be listed. */
  readonly entries: Entries | undefined;
  readonly durationMs: number;
}

/** What came of a decision. */
export type Acted =
  | { readonly kind: 'nothing' }
  /** Helm does not render the chart. `isFinal`: it never will, whatever is on the cluster. */
  | {
      readonly kind: 'rejected';
      readonly action: 'install' | 'upgrade';
      readonly attempted: Attempted;
      readonly problem: string;
      readonly isFinal: boolean;
    }
  | Released
  | {
      readonly kind: 'rolledBack';
      readonly target: Snapshot;
      readonly record: ReleaseRecord | undefined;
      readonly error: string | undefined;
      readonly entries: Entries | undefined;
    }
  | {
      readonly kind: 'uninstalled';
      /** Undefined if it was kept. */
      readonly record: ReleaseRecord | undefined;
      readonly error: string | undefined;
    }
  | { readonly kind: 'unlocked'; readonly record: ReleaseRecord; readonly was: string; readonly isOwn: boolean }
  | { readonly kind: 'tested'; readonly record: ReleaseRecord | undefined; readonly error: string | undefined }
  | {
      readonly kind: 'resumed';
      readonly record: ReleaseRecord;
      readonly now: ValuesNow;
      /** Present for a deployed revision. */
      readonly entries: Entries | undefined;
      /** The spec still renders to this revision. */
      readonly isCurrentSpec: boolean;
    }
  | { readonly kind: 'corrected'; readonly correction: Correction };

/** The status when the conclusion is drawn: an action announces itself in it. */
export interface Then {
  readonly status: HelmReleaseStatus;
  readonly moment: StatusContext;
}

/** The status after an action, and how the action failed if it did. */
export interface Reported {
  readonly status: HelmReleaseStatus;
  readonly error?: string | undefined;
  readonly failed?: Partial<Pick<FailedAction, 'rejection' | 'uncounted'>>;
}

type Of<Kind extends Acted['kind']> = Extract<Acted, { kind: Kind }>;

/** Under `RetryOnFailure`, a success ends the count of failures. */
export function clearsFailures({ spec }: HelmRelease, status: HelmReleaseStatus): boolean {
  return activeRemediation({ spec, status })?.retryOnFailure === true;
}

/** A rejection that the status already has is neither counted nor reported again. */
function rejected({ action, attempted, problem, isFinal }: Of<'rejected'>, { status, moment }: Then): Reported {
  const next = { ...status, lastAttemptedReleaseAction: action };
  const known = getCondition(next.conditions, 'Released');
  const isKnown = known?.status === 'False' && known.message === failureMessage(action, attempted, problem);
  const outcome = { action, attempted, error: problem, snapshot: undefined };
  return {
    status: isKnown ? next : releaseFailed(next, moment, outcome),
    error: problem,
    failed: { rejection: isFinal ? 'final' : 'passing' },
  };
}

function withEntries(status: HelmReleaseStatus, entries: Entries | undefined): HelmReleaseStatus {
  if (entries === undefined) return status;
  return { ...status, inventory: { entries: keepCrds(status.inventory?.entries ?? [], entries) } };
}

/** The server says so in words only. Source: structured-merge-diff, which knows items of lists by their keys. */
const DUPLICATES = ': duplicate entries for key [';

/** A problem of applying objects; with the way out where helm's client-side apply would have accepted the object. */
function withDuplicatesHint(problem: string): string {
  if (!problem.includes(DUPLICATES)) return problem;
  return `${problem}: server-side apply takes no item twice; remove all but one, by values or with spec.postRenderers`;
}

function releasedStatus(
  { release, configDigest: digest }: Plan['observed'],
  acted: Released,
  { status, moment }: Then,
): Reported {
  const { action, attempted, record, entries, durationMs } = acted;
  const took = { lastAttemptedReleaseActionDuration: printDuration(durationMs) };
  const origin = record && { configDigest: digest, ociDigest: ociDigestOf(record, status) };
  const snapshot = record && origin && snapshotOf(record, origin, action);
  if (snapshot !== undefined && acted.error === undefined) {
    const clearFailures = clearsFailures(release, status);
    const next = withObserved(released(status, moment, { action, snapshot, clearFailures }), release.spec);
    return { status: { ...next, inventory: { entries: [...(entries ?? [])] }, ...took } };
  }
  const problem = withDuplicatesHint(acted.error ?? 'no revision was created');
  const error = withNamespaceHint(release, problem, acted.missingNamespace);
  const next = withEntries(releaseFailed(status, moment, { action, attempted, error, snapshot }), entries);
  return { status: { ...next, ...took }, error, failed: { uncounted: snapshot === undefined } };
}

function rolledBack({ target, record, error, entries }: Of<'rolledBack'>, { status, moment }: Then): Reported {
  const snapshot = record === undefined ? target : snapshotOf(record, target, 'rollback');
  const next = remediated(status, moment, { action: 'rollback', snapshot, target, error });
  return { status: withEntries(next, entries), error };
}

function uninstalled({ record, error }: Of<'uninstalled'>, { status, moment }: Then): Reported {
  const [latest] = status.history ?? [];
  if (latest === undefined) return { status };
  const snapshot = record === undefined ? latest : snapshotOf(record, latest, 'uninstall-remediation');
  const next = remediated(status, moment, { action: 'uninstall', snapshot, target: snapshot, error });
  return { status: error === undefined ? { ...next, inventory: { entries: [] } } : next, error };
}

function unlockedStatus({ record, was, isOwn }: Of<'unlocked'>, { status, moment }: Then): Reported {
  const known = status.history?.find(({ version }) => version === record.version);
  const origin = known ?? { configDigest: configDigest(record.config), ociDigest: ociDigestOf(record, status) };
  const snapshot = snapshotOf(record, origin, known?.action ?? interruptedAction(was));
  return { status: unlocked(status, moment, { snapshot, was, isOwn }) };
}

function testedStatus({ release: { spec } }: Plan['observed'], acted: Of<'tested'>, then: Then): Reported {
  const { record, error } = acted;
  const { status, moment } = then;
  const [latest] = status.history ?? [];
  if (latest === undefined) return { status };
  const snapshot = record === undefined ? latest : { ...latest, testHooks: testHooksOf(record) };
  const counts = record !== undefined && activeRemediation({ spec, status })?.ignoreTestFailures === false;
  return { status: tested(status, moment, { snapshot, error, counts }), error };
}

/** The status after an action, before anything follows from it. Never throws. */
export function reportOf(plan: Plan, acted: Acted, then: Then): Reported {
  switch (acted.kind) {
    case 'rejected':
      return rejected(acted, then);
    case 'released':
      return releasedStatus(plan.observed, acted, then);
    case 'rolledBack':
      return rolledBack(acted, then);
    case 'uninstalled':
      return uninstalled(acted, then);
    case 'unlocked':
      return unlockedStatus(acted, then);
    case 'tested':
      return testedStatus(plan.observed, acted, then);
    default:
      return { status: then.status };
  }
}
