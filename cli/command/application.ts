import type { Command } from 'commander';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { type Kube, retryConflicts } from '#runtime/client/kube.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import type { DestinationView } from '#queries/answers/application.js';
import { selectDestinations } from '#queries/views/tree-view.js';
import { doneText, requestPatch } from '#queries/views/requests.js';
import type { Requested } from '#queries/views/rollout-requests.js';
import { notInstalled } from '../output/listing.js';
import { clusterArgument, namespaceArgument } from './arguments.js';
import { inNamespace, type NamespaceOptions, withConnection } from './connection.js';

/** Throws if there is none, and says where others are. */
export async function readApplication(kube: Kube, name: string, namespace: string): Promise<Application> {
  const found = await kube.get<Application>(applicationResource, { name, namespace });
  if (found !== undefined) return found;
  try {
    await kube.list(applicationResource, { namespace, limit: 1 });
  } catch (error: unknown) {
    if (isNotFound(error)) throw notInstalled(kube, error);
    if (apiStatusOf(error)?.code !== 403) throw error;
  }
  throw new Error(`there is no Application ${name} in namespace ${namespace}: \`fairlead status -A\` shows all`);
}

/** The options of a verb that may look at one cluster of it. */
export interface ClusterOptions extends NamespaceOptions {
  readonly cluster?: string;
}

/** Adds the name of an Application, and where it is; `named` is what may be named. */
export function withApplication(command: Command, named = 'an Application'): Command {
  return withConnection(
    command
      .argument('<name>', named)
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
  if ('problem' in selected) throw new Error(`--cluster ${cluster}: ${selected.problem}`);
  return selected.destinations;
}

/** The manager of fields that users write with this program. */
export const FIELD_MANAGER = 'fairlead-cli';

export interface Annotating {
  readonly kube: Kube;
  readonly name: string;
  readonly namespace: string;
  /** The server checks what would be written, and writes nothing. */
  readonly dryRun: boolean;
}

/**
 * Asks an Application for something by its annotations, or a field, as it is at that moment. Returns what comes of it;
 * throws if there is nothing to ask for.
 */
export async function annotateApplication(
  { kube, name, namespace, dryRun }: Annotating,
  request: (application: Application) => Requested | Promise<Requested>,
): Promise<string> {
  return retryConflicts(async () => {
    const application = await readApplication(kube, name, namespace);
    const requested = await request(application);
    if ('problem' in requested) throw new Error(`Application ${namespace}/${name}: ${requested.problem}`);
    const patch = { type: 'merge' as const, body: requestPatch(application, requested) };
    await kube.patch(applicationResource, { name, namespace }, patch, { fieldManager: FIELD_MANAGER, dryRun });
    return doneText(`Application ${namespace}/${name}: ${requested.done}`, dryRun);
  });
}
