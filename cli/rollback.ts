import { Command } from 'commander';
import { readRevisions } from '#queries/plans/revisions.js';
import { releaseRequest, rollbackRequest } from '#queries/views/rollback-request.js';
import { revisionArgument } from './arguments.js';
import { withApplication, withCluster, type ClusterOptions } from './one-application.js';
import { DRY_RUN_FLAG, request } from './request.js';

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
export function rollbackCommand(): Command {
  const command = new Command('rollback').description(
    'Go back to an earlier revision of an Application, and stay there until it is released.',
  );
  return withCluster(withApplication(command))
    .option('--to <revision>', 'this revision; default: the last good one before the present one', revisionArgument)
    .option('--release', 'go on with what the spec says')
    .option(...DRY_RUN_FLAG)
    .action(rollback);
}
