import { Command } from 'commander';
import type { Application } from '../api/v1alpha1/application.js';
import { releaseRequest, rollbackRequest } from '../controllers/read-model/rollback-request.js';
import { annotateApplication } from './annotate-application.js';
import { clusterArgument, namespaceArgument, revisionArgument } from './arguments.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { readRevisions } from './revisions.js';
import { print } from './terminal/standard-output.js';

interface RollbackOptions extends ConnectionOptions {
  readonly namespace?: string;
  readonly to?: number;
  readonly cluster?: string;
  readonly release?: true;
  readonly dryRun?: true;
}

async function rollback(name: string, options: RollbackOptions): Promise<void> {
  const { to, cluster, release } = options;
  if (release === true && to !== undefined) {
    throw new Error('--release ends a rollback, and --to begins one: use only one of the two');
  }
  await withKube(options, async (kube) => {
    const namespace = options.namespace ?? (await contextNamespace(options));
    const request = async (application: Application) => {
      if (release === true) return releaseRequest({ application, cluster });
      const kept = (await readRevisions(kube, application)).map(({ number }) => number);
      return rollbackRequest({ application, kept, to, cluster });
    };
    print(await annotateApplication({ kube, name, namespace, dryRun: options.dryRun === true }, request));
  });
}

/** `fairlead rollback`: pins an Application, or one cluster, to an earlier revision. */
export function rollbackCommand(): Command {
  const command = new Command('rollback')
    .description('Go back to an earlier revision of an Application, and stay there until it is released.')
    .argument('<name>', 'an Application')
    .option(
      '-n, --namespace <name>',
      'namespace of the Application; default: the one of the context',
      namespaceArgument,
    )
    .option('--to <revision>', 'this revision; default: the last good one before the present one', revisionArgument)
    .option('--cluster <name>', 'only on this cluster, as the status names it', clusterArgument)
    .option('--release', 'go on with what the spec says')
    .option('--dry-run', 'say what would be done, and do nothing');
  return withConnection(command).action(rollback);
}
