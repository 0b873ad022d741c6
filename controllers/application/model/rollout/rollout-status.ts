import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import { approveStageCommand, retryRolloutCommand } from '#api/v1alpha1/approve-command.js';
import type { ApplicationReason } from '#api/v1alpha1/conditions.js';
import type { RolloutStatus } from '#api/v1alpha1/rollout.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { shortened } from '../messages.js';
import { approvalOf, retryOf } from './asks.js';
import type { Rollout, RolloutPhase, RolloutRecord, StageStatus } from './types.js';

const MAX_MESSAGE = 300;

/** What is remembered of a rollout, in the status. */
export function recordIn(status: RolloutStatus | undefined): RolloutRecord | undefined {
  if (status === undefined) return undefined;
  const { revision, startedAt, completedAt, rolledBack, lastGood, failing, retried, aborted } = status;
  const stages = status.stages.flatMap((stage) =>
    stage.startedAt === undefined
      ? []
      : [{ name: stage.name, ...defined({ startedAt: stage.startedAt, settledAt: stage.settledAt }) }],
  );
  return { revision, startedAt, stages, ...defined({ completedAt, rolledBack, lastGood, failing, retried, aborted }) };
}

function stageOf({ why, ...stage }: StageStatus, { stages }: RolloutRecord): RolloutStatus['stages'][number] {
  const { startedAt, settledAt } = stages.find(({ name }) => name === stage.name) ?? {};
  return {
    ...omit(stage, 'updated', 'failures', 'once', 'aside', 'gone'),
    ...defined({ startedAt, settledAt }),
    message: shortened(why, MAX_MESSAGE),
  };
}

/** The status of a rollout. */
function rolloutStatusOf({ record, stages, phase, why }: Rollout): RolloutStatus {
  return {
    ...omit(record, 'stages', 'failing'),
    ...defined({ failing: record.failing && [...record.failing] }),
    phase,
    message: shortened(why, MAX_MESSAGE),
    stages: stages.map((stage) => stageOf(stage, record)),
  };
}

const REASONS: Readonly<Partial<Record<RolloutPhase, ApplicationReason>>> = {
  Complete: 'RolledOut',
  RollingBack: 'RolledBack',
  RolledBack: 'RolledBack',
  Halted: 'RolloutHalted',
  Paused: 'RolloutPaused',
  AwaitingApproval: 'RolloutAwaitingApproval',
};

/** How far a rollout is, for the condition RolledOut. */
export interface RolloutFinding {
  readonly status: 'True' | 'False';
  readonly reason: ApplicationReason;
  readonly message: string;
}

/** The command that a rollout waits for. */
function howToGoOn({ metadata }: Application, { stages, record, phase }: Rollout): string {
  // Failed destinations that are pinned, paused or gone may never become Ready.
  const isStuck = record.completedAt === undefined && stages.some(({ aside }) => aside !== undefined);
  if (record.rolledBack !== undefined || (phase === 'Halted' && isStuck))
    return `; retry: ${retryRolloutCommand(metadata, retryOf(record))}`;
  const waiting = stages.find(({ phase }) => phase === 'AwaitingApproval');
  if (waiting === undefined) return '';
  return `; approve: ${approveStageCommand(metadata, waiting.approval ?? approvalOf(waiting.name, record.revision))}`;
}

function rolloutFinding(application: Application, rollout: Rollout): RolloutFinding {
  const { phase, why, record } = rollout;
  const reason = REASONS[phase] ?? 'RolloutProgressing';
  const message = `revision ${record.revision}: ${shortened(why, MAX_MESSAGE)}${howToGoOn(application, rollout)}`;
  return { status: phase === 'Complete' ? 'True' : 'False', reason, message };
}

/** What status and conditions say of a rollout. While all destinations are pinned, only the last good revision is remembered. */
export function rolloutFields(
  application: Application,
  rollout: Rollout | undefined,
): { rollout?: RolloutStatus | undefined; rolledOut?: RolloutFinding } {
  if (rollout !== undefined)
    return { rollout: rolloutStatusOf(rollout), rolledOut: rolloutFinding(application, rollout) };
  const before = application.status?.rollout;
  if (application.spec.rollout === undefined || before === undefined) return {};
  // What goes on after the pins begins at the first stage.
  const message = 'the Application is pinned to an earlier revision';
  return { rollout: { ...omit(before, 'completedAt'), stages: [], phase: 'Paused', message } };
}
