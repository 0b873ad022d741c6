import type { HelmReleaseStatus } from '#api/flux/helm-release.js';
import { keyOf } from '#lib/kube/keys.js';
import { readRequests } from '#engine/flux/model/requests.js';
import type { NewEvent } from '#engine/flux/model/types.js';
import { desiredTarget } from '#engine/flux/model/release-target.js';
import { drifted, driftMessage, withDrift, type DriftedObject } from './drift.js';
import { isUnreported } from './interrupted.js';
import { nextAction, type ActionToRun, type NextAction, type ReleaseAction } from './next-action.js';
import { lastRevision, type StoredRevision } from './release.js';
import type { StateFinding } from './state.js';
import type { StatusContext } from './status.js';
import type { Missing } from './missing.js';
import type { HelmRelease } from './types.js';

/** What a reconciliation has done so far. */
export interface Progress {
  readonly actions: readonly ReleaseAction[];
  /** It has looked for the end of an interrupted action. */
  readonly resumed: boolean;
}

/** What one step of a reconciliation is decided from. */
export interface Observed {
  readonly release: HelmRelease;
  /** The status so far, written or not. */
  readonly status: HelmReleaseStatus;
  readonly moment: StatusContext;
  /** Digest of the desired values. */
  readonly configDigest: string;
  /** In Helm's storage. */
  readonly revisions: readonly StoredRevision[];
  /** The HelmRelease that wrote the newest revision and no longer exists; absent: no takeover. */
  readonly takenFrom?: string | undefined;
  readonly finding: StateFinding;
  /** Objects that differ from the release, as far as they were compared. */
  readonly drifted: readonly DriftedObject[];
  /** Objects that were deleted; undefined: none was looked for. */
  readonly missing?: Missing | undefined;
  /** The watch of some objects began just now: it reports no earlier change. */
  readonly isNewlyWatched: boolean;
  readonly progress: Progress;
}

/** What to do now. */
export type Decision =
  | Exclude<NextAction, { kind: 'adopt' }>
  /** Report the action that ended with this revision, which an earlier process did not. */
  | { readonly kind: 'resume'; readonly last: StoredRevision }
  /** The action has already run in this reconciliation, and did not help. */
  | { readonly kind: 'later' };

export interface Plan {
  readonly observed: Observed;
  readonly decision: Decision;
  /** The status before the decision is carried out. */
  readonly status: HelmReleaseStatus;
  /** The history is about other revisions than those in storage: the action starts without it. */
  readonly dropsHistory: boolean;
  readonly events: readonly NewEvent[];
  /** What will have been done then. */
  readonly progress: Progress;
}

/** A revision that we made, without a status of it: the revisions in the history are still there to go back to. */
function isOwnNewer({ release, status }: Observed, last: StoredRevision | undefined): last is StoredRevision {
  if (last === undefined || last.origin !== keyOf(release.metadata)) return false;
  return last.version > (status.history?.[0]?.version ?? 0);
}

function reportDrift({ status, moment, drifted: objects }: Observed): Pick<Plan, 'status' | 'events'> {
  const latest = status.history?.[0];
  if (latest === undefined || objects.length === 0) return { status, events: [] };
  const message = driftMessage(latest, objects);
  return {
    status: drifted(status, moment, message),
    events: [{ type: 'Warning', reason: 'DriftDetected', message }],
  };
}

function reportTakeOver({ takenFrom, release }: Observed, decision: Decision): NewEvent[] {
  if (takenFrom === undefined || decision.kind !== 'act') return [];
  const name = desiredTarget(release).releaseName;
  const message = `taking release ${name} over from HelmRelease ${takenFrom}, which no longer exists`;
  return [{ type: 'Normal', reason: 'ReleaseTakenOver', message }];
}

function run(action: ActionToRun, { progress }: Observed): Decision {
  return progress.actions.includes(action.action) ? { kind: 'later' } : action;
}

function adopt(observed: Observed, why: string): Pick<Plan, 'decision' | 'dropsHistory'> {
  const { revisions, status, progress } = observed;
  const last = lastRevision(revisions);
  const upgrade = run({ kind: 'act', action: 'upgrade', why }, observed);
  if (!isOwnNewer(observed, last)) return { decision: upgrade, dropsHistory: true };
  const isEndKnown = !progress.resumed && isUnreported(last, status);
  return { decision: isEndKnown ? { kind: 'resume', last } : upgrade, dropsHistory: false };
}

function actionFor({ release, status, revisions, finding, drifted: objects, progress }: Observed): NextAction {
  const hasReleased = progress.actions.some((action) => action === 'install' || action === 'upgrade');
  return nextAction(withDrift(finding, objects), {
    spec: release.spec,
    status,
    history: status.history ?? [],
    storedVersions: revisions.map(({ version }) => version),
    forced: readRequests(release).force && !hasReleased,
  });
}

function progressAfter({ actions, resumed }: Progress, decision: Decision): Progress {
  if (decision.kind === 'act') return { resumed, actions: [...actions, decision.action] };
  return { actions, resumed: resumed || decision.kind === 'resume' };
}

function decisionFor(observed: Observed): Pick<Plan, 'decision' | 'dropsHistory'> {
  const next = actionFor(observed);
  if (next.kind === 'adopt') return adopt(observed, next.why);
  return { decision: next.kind === 'act' ? run(next, observed) : next, dropsHistory: false };
}

/** What to do next, and what to report before it. Each action runs once per reconciliation. Never throws. */
export function decide(observed: Observed): Plan {
  const decided = decisionFor(observed);
  const progress = progressAfter(observed.progress, decided.decision);
  const { status, events } = reportDrift(observed);
  return { observed, ...decided, status, events: [...events, ...reportTakeOver(observed, decided.decision)], progress };
}

/** Says what a decision would do, and why. */
export function describeDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'act':
      return `${decision.action} (${decision.why})`;
    case 'correct':
      return `correct drift (${decision.why})`;
    case 'stall':
      return `nothing (${decision.message})`;
    case 'done':
      return `nothing (${decision.why})`;
    case 'resume':
      return `report revision ${decision.last.version}, whose action was interrupted`;
    case 'later':
      return 'nothing';
  }
}
