import { Command } from 'commander';
import { syncRequest } from '#queries/views/sync-request.js';
import { withApplication } from './one-application.js';
import { checkReadable, untilHandled } from './sync/until-handled.js';
import { request, withRequest, type RequestOptions } from './request.js';

interface SyncOptions extends RequestOptions {
  readonly force?: true;
  readonly reset?: true;
}

async function sync(name: string, options: SyncOptions): Promise<void> {
  const at = new Date().toISOString();
  const { force, reset } = options;
  await request(name, options, {
    ask: async (application, kube) => {
      if (options.wait === true) await checkReadable(kube, application);
      return syncRequest({ application, at, force, reset });
    },
    before: (kube, wait) => untilHandled(kube, { ...wait, at }),
  });
}

/** `fairlead sync`: asks for a reconciliation now, by the annotations of Flux. */
export function syncCommand(): Command {
  const command = new Command('sync').description('Reconcile an Application, its source and its releases now.');
  return withRequest(withApplication(command))
    .option('--force', 'install or upgrade each release once, even if nothing changed')
    .option('--reset', 'begin to count failures again')
    .action(sync);
}
