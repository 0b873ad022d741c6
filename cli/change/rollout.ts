import { Command } from 'commander';
import type { Application } from '#api/v1alpha1/application.js';
import { releaseRequest, rollbackRequest } from '#queries/views/rollback-requests.js';
import {
  awaitedApproval,
  type RolloutAction,
  rolloutRequest,
  SEEN_FIELDS,
  type SeenRollout,
} from '#queries/views/rollout-requests.js';
import { readRevisions } from '#queries/plans/revisions.js';
import { type ClusterOptions, withApplication, withCluster } from '../command/application.js';
import { revisionArgument, revisionIdArgument } from '../command/arguments.js';
import { rolloutStatusCommand } from '../inspect/rollout-status.js';
import { DRY_RUN_FLAG, request, type RequestOptions } from './request.js';

type RolloutOptions = Omit<RequestOptions, 'wait' | 'timeout'> & {
  readonly unproven?: true;
  readonly revision?: Pick<SeenRollout, 'revision' | 'id'>;
};

const ACTIONS: Readonly<Record<RolloutAction, string>> = {
  approve: 'Approve the stage that waits for it.',
  pause: 'Start nothing more, until it is resumed.',
  resume: 'Go on after a pause.',
  'ignore-windows': 'Let the revision start outside of its windows, too.',
  retry: 'Roll a revision out again that was rolled back or halted.',
  abort: 'Go back to the last revision that was rolled out completely.',
};

/** The approval that the user confirms. Without `--unproven`, a stage never starts without a proof. */
function approvalOf({ status }: Application, { unproven }: RolloutOptions): { readonly approval?: string | undefined } {
  return unproven === true && status?.rollout !== undefined ? { approval: awaitedApproval(status.rollout) } : {};
}

function actionCommand(action: RolloutAction): Command {
  const command = new Command(action).description(ACTIONS[action]);
  withApplication(command).option(...DRY_RUN_FLAG);
  const ask = (name: string, stage: string | undefined, options: RolloutOptions): Promise<void> =>
    request(name, options, {
      ask: (application) =>
        rolloutRequest(application, action, { stage, ...options.revision, ...approvalOf(application, options) }),
    });
  if (SEEN_FIELDS[action] !== undefined) {
    const about = 'only if this one is rolled out: its number or ID; default: any';
    command.option('--revision <revision>', about, revisionIdArgument);
  }
  if (action === 'approve') {
    command.argument('[stage]', 'its stage; default: the one that waits').action(ask);
    return command.option('--unproven', 'approve it although the stages before it have proven nothing');
  }
  return command.action((name: string, options: RolloutOptions) => ask(name, undefined, options));
}

/** `fairlead rollout`: how far a rollout is, and what a user says to it, by annotations of the Application. */
export function rolloutCommand(command: Command): void {
  command.addCommand(rolloutStatusCommand());
  // Its keys are the actions.
  for (const action of Object.keys(ACTIONS) as RolloutAction[]) command.addCommand(actionCommand(action));
}

interface RollbackOptions extends ClusterOptions {
  readonly to?: number;
  readonly release?: true;
  readonly dryRun?: true;
}

async function rollback(name: string, options: RollbackOptions): Promise<void> {
  const { to, cluster, release } = options;
  if (release === true && to !== undefined) {
    throw new Error('--release ends a rollback, and --to begins one: use only one of the two');
  }
  await request(name, options, {
    ask: async (application, kube) => {
      if (release === true) return releaseRequest({ application, cluster });
      const kept = (await readRevisions(kube, application)).map(({ number }) => number);
      return rollbackRequest({ application, kept, to, cluster });
    },
  });
}

/** `fairlead rollback`: pins an Application, or one cluster, to an earlier revision. */
export function rollbackCommand(command: Command): void {
  withCluster(withApplication(command))
    .option('--to <revision>', 'this revision; default: the last good one before the present one', revisionArgument)
    .option('--release', 'go on with what the spec says')
    .option(...DRY_RUN_FLAG)
    .action(rollback);
}
