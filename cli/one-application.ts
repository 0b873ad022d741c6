import type { Command } from 'commander';
import type { Application } from '#api/v1alpha1/application.js';
import type { DestinationView } from '#queries/views/application-view.js';
import { selectDestinations } from '#queries/views/tree-view.js';
import type { Kube } from '#runtime/client/kube.js';
import { clusterArgument, namespaceArgument } from './arguments.js';
import { inNamespace, withConnection, type NamespaceOptions } from './connection.js';
import { readApplication } from './read-application.js';

/** The options of a verb that may look at one cluster of it. */
export interface ClusterOptions extends NamespaceOptions {
  readonly cluster?: string;
}

/** Adds the name of an Application, and where it is. */
export function withApplication(command: Command): Command {
  return withConnection(
    command
      .argument('<name>', 'an Application')
      .option(
        '-n, --namespace <name>',
        'namespace of the Application; default: the one of the context',
        namespaceArgument,
      ),
  );
}

/** Adds the flag that selects one cluster. */
export function withCluster(command: Command): Command {
  return command.option('--cluster <name>', 'only on this cluster, as the status names it', clusterArgument);
}

/** Runs `use` with the Application; throws if there is none. */
export async function useApplication(
  name: string,
  options: NamespaceOptions,
  use: (kube: Kube, application: Application) => Promise<void>,
): Promise<void> {
  await inNamespace(options, async (kube, namespace) => use(kube, await readApplication(kube, name, namespace)));
}

/** The destinations that the flags select. Throws if `--cluster` names none of them. */
export function selectedDestinations(
  application: Application,
  { cluster }: ClusterOptions,
): readonly DestinationView[] {
  const selected = selectDestinations(application, cluster);
  if ('refused' in selected) throw new Error(`--cluster ${cluster}: ${selected.refused}`);
  return selected.destinations;
}
