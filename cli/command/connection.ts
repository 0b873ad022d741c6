import type { Command } from 'commander';
import { kubeFromFile } from '#runtime/client/credentials.js';
import type { Kube } from '#runtime/client/kube.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import { apiStatusOf } from '#lib/errors.js';
import { contextArgument, pathArgument } from './arguments.js';
import { errorLine } from './exit.js';

const REACH_MS = 15_000;

export interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** The options of a verb about something in one namespace. */
export interface NamespaceOptions extends ConnectionOptions {
  readonly namespace?: string;
}

/** Adds the flags that say which cluster a verb talks to. */
export function withConnection(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig of the host cluster; default: $KUBECONFIG, then ~/.kube/config, then the service account of the pod',
      pathArgument,
    )
    .option('--context <name>', 'context of the kubeconfig; default: the current one', contextArgument);
}

/** One question before all others, so that a cluster that does not answer is named once, with the way out. */
async function reach(kube: Kube): Promise<void> {
  try {
    await kube.read('/version', { timeoutMs: REACH_MS });
  } catch (error: unknown) {
    // It answered, if only that this user may not ask.
    if (apiStatusOf(error) !== undefined) return;
    throw new Error(`${errorLine(error)}; choose another cluster with --kubeconfig or --context`);
  }
}

/** Runs `use` with a client for the host cluster and closes it afterwards. */
export async function withKube<T>(options: ConnectionOptions, use: (kube: Kube) => Promise<T>): Promise<T> {
  const kube = await kubeFromFile({ path: options.kubeconfig, context: options.context });
  try {
    await reach(kube);
    return await use(kube);
  } finally {
    await kube.close();
  }
}

/** Runs `use` with the namespace that the flags say, else the one that kubectl would use. */
export async function inNamespace(
  options: NamespaceOptions,
  use: (kube: Kube, namespace: string) => Promise<void>,
): Promise<void> {
  await withKube(options, async (kube) => use(kube, options.namespace ?? (await contextNamespace(options))));
}

/** The name of the context, as messages say which cluster is meant. */
export async function contextName(options: ConnectionOptions): Promise<string> {
  return (await readContext({ path: options.kubeconfig, context: options.context })).name ?? '';
}

/** The namespace that kubectl would use: the one of the context, else `default`. */
export async function contextNamespace(options: ConnectionOptions): Promise<string> {
  return (await readContext({ path: options.kubeconfig, context: options.context })).namespace ?? 'default';
}
