import type { Application } from '#api/v1alpha1/application.js';
import { approvalOf, UNPROVEN } from '#api/v1alpha1/approve-command.js';
import {
  ABORT_ROLLOUT_ANNOTATION,
  APPROVE_STAGE_ANNOTATION,
  IGNORE_WINDOWS_ANNOTATION,
  PAUSE_ROLLOUT_ANNOTATION,
  RETRY_ROLLOUT_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import type { RolloutView } from '../answers/application.js';
import { listed } from '#lib/text/text.js';

/** The request of a user to an Application by its annotations; null removes one. */
export interface AnnotationRequest {
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Labels that go with them. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** The fields that are merged into the spec; null removes one. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** The effect of the request, and how it ends. */
  readonly done: string;
}

/** A request, or why there is nothing to ask for. */
export type Requested = AnnotationRequest | { readonly problem: string };

export const ROLLOUT_ACTIONS = ['approve', 'pause', 'resume', 'ignore-windows', 'retry', 'abort'] as const;
export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number];

const MOST_STAGES = 20;

function annotationsOf({ metadata }: Application): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}

/** The text by which requests name the revision of a rollout; older controllers gave none but its number. */
export function idOf({ revision, id }: Pick<RolloutView, 'revision' | 'id'>): string {
  return id ?? String(revision);
}

/** `REVISION`, or `REVISION@2` and so on if that was carried out already: a request is carried out once. */
function newRequest(rollout: RolloutView, handled: string | undefined): string {
  const id = idOf(rollout);
  const [named = '', count = '1'] = (handled ?? '').split('@', 2);
  if (named !== id && named !== String(rollout.revision)) return id;
  return `${id}@${/^\d{1,6}$/.test(count) ? Number(count) + 1 : 2}`;
}

type Stage = RolloutView['stages'][number];

function shownApproval({ name, approval }: Stage, rollout: RolloutView): string {
  return approval ?? approvalOf(name, idOf(rollout));
}

/** The approval that a stage waits for; undefined if none waits. */
export function awaitedApproval(rollout: RolloutView): string | undefined {
  const stage = rollout.stages.find(({ phase }) => phase === 'AwaitingApproval');
  return stage && shownApproval(stage, rollout);
}

/** The stage that waits for an approval, if it is the wanted one; or why there is none. */
function waitingStage({ revision, stages }: RolloutView, wanted: string | undefined): Stage | { problem: string } {
  const stage = stages.find(({ phase }) => phase === 'AwaitingApproval');
  const names = stages.map(({ name }) => name);
  if (wanted !== undefined && !names.includes(wanted)) {
    return { problem: `there is no stage ${wanted}: the stages are ${listed(names, MOST_STAGES)}` };
  }
  if (stage === undefined) return { problem: `no stage of revision ${revision} waits for an approval` };
  if (wanted === undefined || wanted === stage.name) return stage;
  return { problem: `stage ${wanted} does not wait for an approval: stage ${stage.name} does` };
}

/** Approves the waiting stage. A missing proof is accepted only if the request names the approval that the user saw. */
function approve(rollout: RolloutView, { stage: wanted, approval: seen }: SeenRollout): Requested {
  const stage = waitingStage(rollout, wanted);
  if ('problem' in stage) return stage;
  const { name, message = '' } = stage;
  const approval = shownApproval(stage, rollout);
  const isUnproven = approval.endsWith(UNPROVEN);
  if (isUnproven && seen === undefined) {
    const wayOut = 'to approve that, use `fairlead rollout approve --unproven`';
    return { problem: `stage ${name} would begin without a proof: ${message}; ${wayOut}` };
  }
  if (seen !== undefined && seen !== approval) {
    return { problem: `stage ${name} waits for the approval ${approval} by now, not for ${seen}` };
  }
  const done = `stage ${name} of revision ${rollout.revision} is approved${isUnproven ? ', without a proof' : ''}`;
  return { annotations: { [APPROVE_STAGE_ANNOTATION]: approval }, done };
}

function pause(application: Application): Requested {
  if (annotationsOf(application)[PAUSE_ROLLOUT_ANNOTATION] === 'true') return { problem: 'it is paused already' };
  const done = 'rollouts are paused: nothing is updated or installed until `fairlead rollout resume`';
  return { annotations: { [PAUSE_ROLLOUT_ANNOTATION]: 'true' }, done };
}

function resume(application: Application): Requested {
  const isPausedBySpec = application.spec.rollout?.paused === true;
  const bySpec = 'spec.rollout.paused is true: change it where the Application comes from';
  if (annotationsOf(application)[PAUSE_ROLLOUT_ANNOTATION] === undefined) {
    return { problem: isPausedBySpec ? bySpec : 'it is not paused' };
  }
  const done = isPausedBySpec ? `the annotation is removed, but ${bySpec}` : 'rollouts go on';
  return { annotations: { [PAUSE_ROLLOUT_ANNOTATION]: null }, done };
}

function retry(rollout: RolloutView): Requested {
  const { revision, rolledBack, retried, failing, completedAt } = rollout;
  const isHalted = failing !== undefined && completedAt === undefined;
  if (rolledBack === undefined && !isHalted) return { problem: `revision ${revision} is not rolled back` };
  const annotations = { [RETRY_ROLLOUT_ANNOTATION]: newRequest(rollout, retried) };
  return { annotations, done: `revision ${revision} is rolled out again` };
}

function abort(rollout: RolloutView): Requested {
  const { revision, completedAt, rolledBack, lastGood, aborted } = rollout;
  if (completedAt !== undefined) {
    return { problem: `revision ${revision} is rolled out: \`fairlead rollback\` goes back to an earlier one` };
  }
  // A stage that went back leaves the others where they are: an abort takes them back as well.
  if (rolledBack !== undefined && rolledBack.stage === undefined) {
    return { problem: `revision ${revision} is rolled back already` };
  }
  const back = lastGood === undefined ? 'what has it stays' : `its destinations go back to revision ${lastGood}`;
  const annotations = { [ABORT_ROLLOUT_ANNOTATION]: newRequest(rollout, aborted) };
  const end = 'until the spec changes, or `fairlead rollout retry`';
  return { annotations, done: `the rollout of revision ${revision} is aborted: ${back} ${end}` };
}

function hasWindows({ rollout: { windows = [], stages = [] } = {} }: Application['spec']): boolean {
  return [windows, ...stages.map((stage) => stage.windows ?? [])].some((each) => each.length > 0);
}

/** Destinations that come later wait for a window, too: it is only refused once nothing waits. */
function ignoreWindows(application: Application, rollout: RolloutView): Requested {
  const { revision, completedAt, rolledBack, stages } = rollout;
  if (!hasWindows(application.spec)) return { problem: 'it has no windows' };
  if (annotationsOf(application)[IGNORE_WINDOWS_ANNOTATION] === idOf(rollout)) {
    return { problem: `revision ${revision} ignores windows already` };
  }
  if (rolledBack !== undefined) return { problem: `revision ${revision} is rolled back: windows delay nothing of it` };
  if (completedAt !== undefined && stages.every(({ waiting }) => waiting === 0)) {
    return { problem: `revision ${revision} is rolled out` };
  }
  const done = `revision ${revision} starts outside of its windows, too, as far as nothing else holds it`;
  return { annotations: { [IGNORE_WINDOWS_ANNOTATION]: idOf(rollout) }, done };
}

/** The rollout as somebody saw it when they made a request; undefined fields are not compared. */
export interface SeenRollout {
  /** For an approval only. */
  readonly stage?: string | undefined;
  readonly revision?: number | undefined;
  /** Number and digest of the revision, as the status has them. */
  readonly id?: string | undefined;
  /** The approval that the user saw; only for `approve`. */
  readonly approval?: string | undefined;
}

/** The fields of the rollout that was seen, by action. */
export const SEEN_FIELDS: Readonly<Partial<Record<RolloutAction, readonly (keyof SeenRollout)[]>>> = {
  approve: ['stage', 'revision', 'id', 'approval'],
  'ignore-windows': ['revision', 'id'],
  retry: ['revision', 'id'],
  abort: ['revision', 'id'],
};

/** Makes a request to the rollout that goes on. */
function ofRollout(
  application: Application,
  rollout: RolloutView,
  action: Exclude<RolloutAction, 'pause' | 'resume'>,
  seen: SeenRollout,
): Requested {
  const { revision, id } = seen;
  if (revision !== undefined && revision !== rollout.revision) {
    return { problem: `its rollout is of revision ${rollout.revision} by now, not of ${revision}` };
  }
  if (id !== undefined && id !== idOf(rollout)) {
    return { problem: `its rollout is of revision ${idOf(rollout)} by now, not of ${id}` };
  }
  const requests = {
    approve: () => approve(rollout, seen),
    'ignore-windows': () => ignoreWindows(application, rollout),
    retry: () => retry(rollout),
    abort: () => abort(rollout),
  };
  return requests[action]();
}

/** Makes the request of an action; refuses it if the rollout is not the one that was seen. Never throws. */
export function rolloutRequest(application: Application, action: RolloutAction, seen: SeenRollout = {}): Requested {
  if (application.spec.rollout === undefined) return { problem: 'it has no spec.rollout' };
  if (action === 'pause') return pause(application);
  if (action === 'resume') return resume(application);
  const { rollout } = application.status ?? {};
  return rollout === undefined
    ? { problem: 'no rollout of it has begun' }
    : ofRollout(application, rollout, action, seen);
}
