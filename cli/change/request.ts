import type { Command } from 'commander';
import type { Application } from '#api/v1alpha1/application.js';
import type { Requested } from '#queries/views/rollout-requests.js';
import type { Kube } from '#runtime/client/kube.js';
import { annotateApplication } from '../command/application.js';
import { timeoutArgument } from '../command/arguments.js';
import { inNamespace, type NamespaceOptions } from '../command/connection.js';
import { interruption } from '../command/exit.js';
import { DEFAULT_TIMEOUT_MS, showWhenReady } from '../status/ready.js';
import { printSentence } from '../output/standard-output.js';

/** The options of a verb that asks an Application for something. */
export interface RequestOptions extends NamespaceOptions {
  readonly dryRun?: true;
  readonly wait?: true;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** What is waited for, and how long. */
export interface Waiting {
  readonly ref: { readonly name: string; readonly namespace: string };
  /** Milliseconds, of which some may be over. */
  readonly timeout: number;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly interrupted: AbortSignal;
}

export interface RequestSteps {
  readonly ask: (application: Application, kube: Kube) => Requested | Promise<Requested>;
  /** What has to happen before `Ready` says something of the request. */
  readonly before?: (kube: Kube, waiting: Waiting) => Promise<void>;
}

/** Of each verb that asks for something. */
export const DRY_RUN_FLAG = ['--dry-run', 'say what would be done, and do nothing'] as const;

/** Adds the flags of such a verb. */
export function withRequest(command: Command): Command {
  return command
    .option(...DRY_RUN_FLAG)
    .option('--wait', 'wait until all destinations are Ready, as fairlead status --wait does')
    .option('--timeout <duration>', 'how long --wait waits; default: 5m', timeoutArgument);
}

/** Waits as `fairlead status --wait` does. */
export async function waitFor(kube: Kube, { ref, ...limits }: Waiting): Promise<void> {
  const selection = { name: ref.name, query: { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` } };
  await showWhenReady(kube, selection, { output: 'table', ...limits });
}

/** Asks an Application for something, and waits for what comes of it if the user wants that. */
export async function request(name: string, options: RequestOptions, { ask, before }: RequestSteps): Promise<void> {
  const { wait, timeout = DEFAULT_TIMEOUT_MS, dryRun = false } = options;
  if (wait !== true && options.timeout !== undefined) throw new Error('--timeout limits --wait: set --wait, too');
  if (wait === true && dryRun) throw new Error('--dry-run changes nothing to --wait for');
  await inNamespace(options, async (kube, namespace) => {
    printSentence(
      await annotateApplication({ kube, name, namespace, dryRun }, (application) => ask(application, kube)),
    );
    if (wait !== true) return;
    const until = Date.now() + timeout;
    const waiting = { ref: { name, namespace }, timeout, until, interrupted: interruption() };
    await before?.(kube, waiting);
    await waitFor(kube, waiting);
  });
}
