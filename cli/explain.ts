import { Command } from 'commander';
import type { ExplainedDestination } from '../controllers/application/explain.js';
import type { Kube } from '../controllers/runtime/kube.js';
import { listed } from '../controllers/runtime/pure/listed.js';
import { oneLine } from '../controllers/runtime/pure/one-line.js';
import { clusterArgument, namespaceArgument, pathArgument } from './arguments.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { explainText, type TextOptions } from './explain/explain-text.js';
import { explanationGroups, type GroupView } from './explain/groups.js';
import { checkHelm } from './explain/helm.js';
import { limitLines } from './explain/limits.js';
import { readExplained } from './explain/read.js';
import { resolvedLines } from './explain/resolved.js';
import { interrupted, interruption } from './interruption.js';
import { inFormat, withOutput, type OutputOptions } from './listing.js';
import { readApplication } from './read-application.js';
import { outputTerminal, print } from './terminal/standard-output.js';
import { wrap } from './terminal/text.js';

/** Clusters that an error names. */
const NAMED = 10;

interface ExplainOptions extends ConnectionOptions, OutputOptions {
  readonly namespace?: string;
  readonly cluster?: string;
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

/** Nothing is printed before all is known. */
async function show(kube: Kube, name: string, options: ExplainOptions, signal: AbortSignal): Promise<void> {
  const namespace = options.namespace ?? (await contextNamespace(options));
  const application = await readApplication(kube, name, namespace);
  const { helmPath } = options;
  const { application: explained, limits, unrendered } = await readExplained(application, { kube, helmPath, signal });
  for (const note of [...limitLines(limits), ...explained.warnings]) process.stderr.write(`${oneLine(note)}\n`);
  const groups = explanationGroups(selected(explained.destinations, options), unrendered);
  if (groups.length === 0) process.stderr.write(`Application ${namespace}/${name} has no destinations.\n`);
  const { columns } = outputTerminal();
  const sources = application.status?.sources ?? [];
  const all = {
    application: `${namespace}/${name}`,
    ...(sources.length === 0 ? {} : { sources }),
    destinations: groups,
  };
  const text = inFormat(options, all, (wide) => textOf(groups, resolvedLines(application), { wide, columns }));
  if (text !== '') print(text);
}

async function explain(name: string, options: ExplainOptions): Promise<void> {
  await checkHelm(options.helmPath);
  const signal = interruption();
  await withKube(options, (kube) => Promise.race([show(kube, name, options, signal), interrupted(signal)]));
}

/** `fairlead explain`: reads what the controller reads, and writes nothing. */
export function explainCommand(): Command {
  const command = new Command('explain')
    .description('Show where each value of an Application comes from.')
    .argument('<name>', 'an Application')
    .option(
      '-n, --namespace <name>',
      'namespace of the Application; default: the one of the context',
      namespaceArgument,
    )
    .option('--cluster <name>', 'only on this cluster, as the status names it', clusterArgument)
    .option('--helm-path <file>', 'helm 4, for templates of values; default: that of PATH', pathArgument);
  return withConnection(withOutput(command)).action(explain);
}
