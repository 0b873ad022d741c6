import { Option, type Command } from 'commander';
import type { Kube, ListQuery } from '#runtime/client/kube.js';
import { printJson } from '#lib/json/lossless-json.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { namespaceArgument } from '../command/arguments.js';
import { contextNamespace, type ConnectionOptions } from '../command/connection.js';
import { harmlessJson, harmlessYaml } from './model/text.js';

/** The options of a verb that prints what it read. */
export interface OutputOptions {
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

/** The options of a verb that lists objects. */
export interface ListingOptions extends ConnectionOptions, OutputOptions {
  readonly allNamespaces?: true;
  readonly namespace?: string;
}

/** Adds the flag that says in which format is printed. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'output format').choices(['table', 'wide', 'json', 'yaml']).default('table'),
  );
}

/** Adds the flags that say which objects are listed, and how; `what` are these objects. */
export function withListing(command: Command, what: string): Command {
  return withOutput(
    command
      .option('-A, --all-namespaces', `${what} of all namespaces`)
      .option('-n, --namespace <name>', `namespace of the ${what}; default: the one of the context`, namespaceArgument),
  );
}

/** Throws when the flags ask for all namespaces and for one of them. */
export function checkNamespaces({ allNamespaces, namespace }: ListingOptions): void {
  if (allNamespaces !== true || namespace === undefined) return;
  throw new Error('-A selects all namespaces and -n one of them: use only one of the two');
}

export async function namespaceQuery({ allNamespaces, namespace, ...rest }: ListingOptions): Promise<ListQuery> {
  if (allNamespaces === true) return {};
  return { namespace: namespace ?? (await contextNamespace(rest)) };
}

export function isTable({ output }: OutputOptions): boolean {
  return output === 'table' || output === 'wide';
}

/** What is listed as JSON or YAML, if that is asked for; else what `table` returns. */
export function inFormat({ output }: OutputOptions, listed: object, table: (wide: boolean) => string): string {
  if (output === 'json') return harmlessJson(printJson(listed, 2));
  if (output === 'yaml') return harmlessYaml(printYaml(listed).trimEnd());
  return table(output === 'wide');
}

/** Where the objects of the query are. */
export function placeOf({ namespace }: ListQuery): string {
  return namespace === undefined ? 'any namespace' : `namespace ${namespace}`;
}

/** For an object that was named and is not there. */
export function noSuchObject(kind: string, name: string, query: ListQuery): Error {
  const wayOut = query.namespace === undefined ? '' : '; look in others with -A or -n NAMESPACE';
  return new Error(`there is no ${kind} ${name} in ${placeOf(query)}${wayOut}`);
}

export function notInstalled({ server }: Kube, cause?: unknown): Error {
  return new Error(`Fairlead is not installed in ${server}: run \`fairlead install\` first`, { cause });
}
