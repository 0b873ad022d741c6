import type { Application } from '#api/v1alpha1/application.js';
import { approveCommand, UNPROVEN } from '#api/v1alpha1/approve-command.js';
import { PIN_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { NextCommand } from '../answers/rollout-progress.js';
import { viewOf } from './application-view.js';
import { awaitedApproval, idOf, rolloutRequest } from './rollout-requests.js';

function commandOf({ metadata: { name, namespace = '' } }: Application, verb: string, flags = ''): string {
  return `fairlead ${verb} ${name} -n ${namespace}${flags}`;
}

type Rollout = NonNullable<NonNullable<Application['status']>['rollout']>;

/** Names what the command is for: it is refused once something else waits. */
function ofRevision(rollout: Rollout): string {
  return ` --revision ${idOf(rollout)}`;
}

function approval(application: Application, rollout: Rollout): NextCommand[] {
  const awaited = awaitedApproval(rollout);
  if (awaited === undefined) return [];
  const stage = rollout.stages.find(({ phase }) => phase === 'AwaitingApproval')?.name ?? '';
  const isUnproven = awaited.endsWith(UNPROVEN);
  const proof = isUnproven ? ', although the stages before it have proven nothing' : '';
  const flags = `${ofRevision(rollout)}${isUnproven ? ' --unproven' : ''}`;
  const { name, namespace = '' } = application.metadata;
  const command = `fairlead rollout approve ${name} ${stage} -n ${namespace}${flags}`;
  return [{ command, effect: `starts the stage${proof}` }];
}

function afterPause(application: Application): NextCommand[] {
  if (application.metadata.annotations?.[PIN_ANNOTATION] !== undefined) {
    return [{ command: commandOf(application, 'rollback', ' --release'), effect: 'goes on with what the spec says' }];
  }
  // A pause of the spec ends where the spec comes from.
  if ('problem' in rolloutRequest(application, 'resume')) return [];
  return [{ command: commandOf(application, 'rollout resume'), effect: 'goes on' }];
}

function back({ rolledBack }: Rollout): string {
  return rolledBack === undefined
    ? 'forgets what failed, and begins at the first stage'
    : 'rolls the revision out again';
}

function ofPhase(application: Application, rollout: Rollout): NextCommand[] {
  const command = (verb: string): string => commandOf(application, `rollout ${verb}`, ofRevision(rollout));
  const retry = { command: command('retry'), effect: back(rollout) };
  const abort = { command: command('abort'), effect: 'goes back to the last good revision' };
  const windows = { command: command('ignore-windows'), effect: 'starts outside of the window' };
  switch (rollout.phase) {
    case 'Halted':
      return 'problem' in rolloutRequest(application, 'retry') ? [abort] : [retry, abort];
    case 'RolledBack':
    case 'RollingBack':
      return [retry];
    case 'AwaitingWindow':
      return 'problem' in rolloutRequest(application, 'ignore-windows') ? [] : [windows];
    case 'Paused':
      return afterPause(application);
    default:
      return [];
  }
}

/** The commands by which the rollout of an Application goes on, if somebody has to decide that. Never throws. */
export function rolloutCommands(application: Application): NextCommand[] {
  const { rollout } = application.status ?? {};
  if (application.spec.rollout === undefined || rollout === undefined) return [];
  return [...approval(application, rollout), ...ofPhase(application, rollout)];
}

/** The same of an Application of which something waits, and the command that approves removals. Never throws. */
export function pendingCommands(application: Application): NextCommand[] {
  if (application.status?.pending === undefined) return [];
  const { name, namespace, approval: removals } = viewOf(application);
  const approved = {
    command: approveCommand({ name, namespace }, removals),
    effect: 'approves the removals that wait',
  };
  return [...rolloutCommands(application), ...(/^[a-z0-9]+$/.test(removals) ? [approved] : [])];
}
