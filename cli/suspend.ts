import { Command } from 'commander';
import { resumeRequest, suspendRequest } from '#queries/views/suspend-request.js';
import { withApplication } from './one-application.js';
import { DRY_RUN_FLAG, request, withRequest, type RequestOptions } from './request.js';

type SuspendOptions = Pick<RequestOptions, 'namespace' | 'kubeconfig' | 'context' | 'dryRun'>;

/** `fairlead suspend`: sets `suspend` of an Application. */
export function suspendCommand(): Command {
  const command = new Command('suspend').description('Reconcile nothing of an Application; what runs stays.');
  return withApplication(command)
    .option(...DRY_RUN_FLAG)
    .action((name: string, options: SuspendOptions) => request(name, options, { ask: suspendRequest }));
}

/** `fairlead resume`: removes it. */
export function resumeCommand(): Command {
  const command = new Command('resume').description('Reconcile a suspended Application again.');
  return withRequest(withApplication(command)).action((name: string, options: RequestOptions) =>
    request(name, options, { ask: resumeRequest }),
  );
}
