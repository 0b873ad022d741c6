import { Command } from 'commander';
import { rolloutRequest, type RolloutAction } from '../controllers/read-model/rollout-request.js';
import { annotateApplication } from './annotate-application.js';
import { namespaceArgument } from './arguments.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { print } from './terminal/standard-output.js';

interface RolloutOptions extends ConnectionOptions {
  readonly namespace?: string;
  readonly dryRun?: true;
}

const ACTIONS: Readonly<Record<RolloutAction, string>> = {
  approve: 'Approve the stage that waits for it.',
  pause: 'Start nothing more, until it is resumed.',
  resume: 'Go on after a pause.',
  retry: 'Roll a revision out again that was rolled back.',
  abort: 'Go back to the last revision that was rolled out completely.',
};

async function ask(action: RolloutAction, name: string, stage: string | undefined, options: RolloutOptions) {
  await withKube(options, async (kube) => {
    const namespace = options.namespace ?? (await contextNamespace(options));
    const annotating = { kube, name, namespace, dryRun: options.dryRun === true };
    print(await annotateApplication(annotating, (application) => rolloutRequest(application, action, stage)));
  });
}

function actionCommand(action: RolloutAction): Command {
  const command = new Command(action)
    .description(ACTIONS[action])
    .argument('<name>', 'an Application')
    .option(
      '-n, --namespace <name>',
      'namespace of the Application; default: the one of the context',
      namespaceArgument,
    )
    .option('--dry-run', 'say what would be done, and do nothing');
  if (action === 'approve') {
    command
      .argument('[stage]', 'its stage; default: the one that waits')
      .action((name: string, stage: string | undefined, options: RolloutOptions) => ask(action, name, stage, options));
  } else {
    command.action((name: string, options: RolloutOptions) => ask(action, name, undefined, options));
  }
  return withConnection(command);
}

/** `fairlead rollout`: what a user says to a rollout, by annotations of the Application. */
export function rolloutCommand(): Command {
  const command = new Command('rollout').description('Approve, pause, resume, retry or abort a rollout.');
  // Its keys are the actions.
  for (const action of Object.keys(ACTIONS) as RolloutAction[]) command.addCommand(actionCommand(action));
  return command;
}
