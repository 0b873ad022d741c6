import { Command } from 'commander';
import type { Application } from '../api/v1alpha1/application.js';
import type { ExplainedDestination } from '../controllers/application/explain.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { listed } from '../controllers/runtime/pure/listed.js';
import { oneLine } from '../controllers/runtime/pure/one-line.js';
import { pathArgument } from './arguments.js';
import { explainText, type TextOptions } from './explain/explain-text.js';
import { explanationGroups, type GroupView } from './explain/groups.js';
import { checkHelm } from './explain/helm.js';
import { limitLines } from './explain/limits.js';
import { readExplained } from './explain/read.js';
import { resolvedLines } from './explain/resolved.js';
import { interrupted, interruption } from './interruption.js';
import { inFormat, withOutput, type OutputOptions } from './listing.js';
import { useApplication, withApplication, withCluster, type ClusterOptions } from './one-application.js';
import { outputTerminal, print } from './terminal/standard-output.js';
import { wrap } from './terminal/text.js';

/** Clusters that an error names. */
const NAMED = 10;

interface ExplainOptions extends ClusterOptions, OutputOptions {
  readonly helmPath?: string;
}

/** Those on the cluster that the user asks for. Throws if there is none. */
function selected(destinations: readonly ExplainedDestination[], { cluster }: ExplainOptions): ExplainedDestination[] {
  const found = destinations.filter(({ entry }) => cluster === undefined || entry.clusterName === cluster);
  if (cluster === undefined || found.length > 0) return found;
  const names = [...new Set(destinations.map(({ entry }) => entry.clusterName))];
  const known = names.length === 0 ? 'it has none' : `choose one of ${listed(names, NAMED)}`;
  throw new Error(`--cluster ${cluster}: the Application has no destination on it; ${known}`);
}

function textOf(groups: readonly GroupView[], resolved: readonly string[], options: TextOptions): string {
  const lines = resolved.flatMap((line) => wrap(oneLine(line), options.columns ?? Infinity));
  const parts = [lines.join('\n'), explainText(groups, options)];
  return parts.filter((part) => part !== '').join('\n\n');
}

interface Reading {
  readonly kube: Kube;
  readonly signal: AbortSignal;
}

/** Nothing is printed before all is known. */
async function show(application: Application, options: ExplainOptions, { kube, signal }: Reading): Promise<void> {
  const { helmPath } = options;
  const place = `${application.metadata.namespace}/${application.metadata.name}`;
  const { application: explained, limits, unrendered } = await readExplained(application, { kube, helmPath, signal });
  for (const note of [...limitLines(limits), ...explained.warnings]) process.stderr.write(`${oneLine(note)}\n`);
  const groups = explanationGroups(selected(explained.destinations, options), unrendered);
  if (groups.length === 0) process.stderr.write(`Application ${place} has no destinations.\n`);
  const { columns } = outputTerminal();
  const sources = application.status?.sources ?? [];
  const all = {
    application: place,
    ...(sources.length === 0 ? {} : { sources }),
    destinations: groups,
  };
  const text = inFormat(options, all, (wide) => textOf(groups, resolvedLines(application), { wide, columns }));
  if (text !== '') print(text);
}

async function explain(name: string, options: ExplainOptions): Promise<void> {
  await checkHelm(options.helmPath);
  await useApplication(name, options, async (kube, application) => {
    const signal = interruption();
    await Promise.race([show(application, options, { kube, signal }), interrupted(signal)]);
  });
}

/** `fairlead explain`: reads what the controller reads, and writes nothing. */
export function explainCommand(): Command {
  const command = new Command('explain').description('Show where each value of an Application comes from.');
  return withOutput(withCluster(withApplication(command)))
    .option('--helm-path <file>', 'helm 4, for templates of values; default: that of PATH', pathArgument)
    .action(explain);
}
