import type { Command } from 'commander';
import type { Application } from '#api/v1alpha1/application.js';
import { oneLine } from '#lib/text/text.js';
import { readExplained } from '#queries/plans/explained.js';
import { explanationGroups, explanationView } from '#queries/plans/explanation-groups.js';
import { limitLines } from '#queries/plans/limits.js';
import type { Reading } from '#queries/plans/reading.js';
import { PreviewError } from '#queries/plans/preview-error.js';
import type { GroupView } from '#queries/answers/plans.js';
import { pathArgument } from '../command/arguments.js';
import { interrupted, interruption } from '../command/exit.js';
import { inFormat, type OutputOptions, withOutput } from '../output/listing.js';
import { checkHelm, withWorkbench } from '../command/local-helm.js';
import { type ClusterOptions, useApplication, withApplication, withCluster } from '../command/application.js';
import { note, outputTerminal, print } from '../output/standard-output.js';
import { wrap } from '../output/model/text.js';
import { explainText, type TextOptions } from './model/explain-text.js';

type Source = NonNullable<NonNullable<Application['status']>['sources']>[number];

function meaningOf({ revision, available, message = '' }: Source): string {
  const reason = message === '' ? '' : `: ${message}`;
  if (revision === undefined) return `is not known yet${reason}`;
  const newer = available === undefined ? '' : `; ${available} waits for the end of the rollout`;
  return `means ${revision}${newer}${reason}`;
}

/** A line for each range of an Application with a rollout: the version that it means. Others follow them on their own. */
export function resolvedLines({ status }: Pick<Application, 'status'>): string[] {
  return (status?.sources ?? []).map((source) => {
    const { kind, namespace, name, chart = '', version = '*' } = source;
    return `chart ${chart} ${version} of ${kind} ${namespace}/${name} ${meaningOf(source)}`;
  });
}

interface ExplainOptions extends ClusterOptions, OutputOptions {
  readonly helmPath?: string;
}

function textOf(groups: readonly GroupView[], resolved: readonly string[], options: TextOptions): string {
  const lines = resolved.flatMap((line) => wrap(oneLine(line), options.columns ?? Infinity));
  const parts = [lines.join('\n'), explainText(groups, options)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Throws what is wrong with the flag of the cluster, if that is the problem. */
function withFlag(error: unknown, { cluster = '' }: ExplainOptions): never {
  if (!(error instanceof PreviewError) || error.reason !== 'NoDestination') throw error;
  throw new Error(`--cluster ${cluster}: ${error.message}`, { cause: error });
}

/** Nothing is printed before all is known. */
async function show(application: Application, options: ExplainOptions, reading: Reading): Promise<void> {
  const { cluster } = options;
  const read = readExplained(application, { cluster }, reading);
  const { application: explained, limits, unrendered } = await read.catch((error: unknown) => withFlag(error, options));
  for (const text of [...limitLines(limits), ...explained.warnings]) note(text);
  const view = explanationView(application, explanationGroups(explained.destinations, unrendered));
  const { application: place, destinations: groups } = view;
  if (groups.length === 0) process.stderr.write(`Application ${place} has no destinations.\n`);
  const { columns } = outputTerminal();
  const text = inFormat(options, view, (wide) => textOf(groups, resolvedLines(application), { wide, columns }));
  if (text !== '') print(text);
}

async function explain(name: string, options: ExplainOptions): Promise<void> {
  await checkHelm(options.helmPath);
  await useApplication(name, options, async (kube, application) => {
    const signal = interruption();
    const shown = withWorkbench(options.helmPath, (workbench) =>
      show(application, options, { kube, ...workbench, signal }),
    );
    await Promise.race([shown, interrupted(signal)]);
  });
}

/** `fairlead explain`: reads what the controller reads, and writes nothing. */
export function explainCommand(command: Command): void {
  withOutput(withCluster(withApplication(command)))
    .option('--helm-path <file>', 'helm 4, for templates of values; default: that of PATH', pathArgument)
    .action(explain);
}
