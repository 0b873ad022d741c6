import { Command, Option } from 'commander';
import { dump } from 'js-yaml';
import { applicationResource, type Application } from '../api/v1alpha1/application.js';
import { sortedViews } from '../controllers/read-model/application-view.js';
import { listAll, type Kube, type ListQuery } from '../controllers/runtime/kube.js';
import { isNotFound } from '../controllers/runtime/pure/errors.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from './connection.js';
import { follow } from './status/follow.js';
import { statusTable } from './status/status-table.js';

type Output = 'table' | 'wide' | 'json' | 'yaml';

interface StatusOptions extends ConnectionOptions {
  readonly allNamespaces?: true;
  readonly namespace?: string;
  readonly output: Output;
  readonly watch?: true;
}

function print(applications: readonly Application[], options: StatusOptions): string {
  const views = sortedViews(applications);
  if (options.output === 'json') return JSON.stringify({ applications: views }, null, 2);
  if (options.output === 'yaml') return dump({ applications: views }).trimEnd();
  const table = { allNamespaces: options.allNamespaces === true, wide: options.output === 'wide' };
  return statusTable(views, table);
}

async function queryOf(name: string | undefined, options: StatusOptions): Promise<ListQuery> {
  if (options.allNamespaces === true && options.namespace !== undefined) {
    throw new Error('-A selects all namespaces and -n one of them: use only one of the two');
  }
  const selected = name === undefined ? {} : { fieldSelector: `metadata.name=${name}` };
  if (options.allNamespaces === true) return selected;
  return { ...selected, namespace: options.namespace ?? (await contextNamespace(options)) };
}

function place(query: ListQuery): string {
  return query.namespace === undefined ? 'any namespace' : `namespace ${query.namespace}`;
}

function notFound(name: string, query: ListQuery): Error {
  const wayOut = query.namespace === undefined ? '' : '; look in others with -A or -n NAMESPACE';
  return new Error(`there is no Application ${name} in ${place(query)}${wayOut}`);
}

/** A misspelt name is reported immediately instead of being waited for. */
async function requireNamed(kube: Kube, name: string | undefined, query: ListQuery): Promise<void> {
  if (name === undefined) return;
  const { items } = await listAll<Application>(kube, applicationResource, query);
  if (items.length === 0) throw notFound(name, query);
}

async function showOnce(kube: Kube, name: string | undefined, options: StatusOptions): Promise<void> {
  const query = await queryOf(name, options);
  const { items } = await listAll<Application>(kube, applicationResource, query);
  if (name !== undefined && items.length === 0) throw notFound(name, query);
  const isTable = options.output === 'table' || options.output === 'wide';
  if (items.length === 0 && isTable) process.stderr.write(`No Applications in ${place(query)}.\n`);
  else process.stdout.write(`${print(items, options)}\n`);
}

async function showChanges(kube: Kube, name: string | undefined, options: StatusOptions): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const clear = process.stdout.isTTY ? '\u001b[2J\u001b[H' : '';
  let last = '';
  const query = await queryOf(name, options);
  await requireNamed(kube, name, query);
  await follow(kube, query, interrupted.signal, (applications) => {
    const text = print(applications, options);
    if (text !== last) process.stdout.write(`${clear}${text}\n`);
    last = text;
  });
}

async function status(name: string | undefined, options: StatusOptions): Promise<void> {
  const show = options.watch === true ? showChanges : showOnce;
  await withKube(options, async (kube) => {
    try {
      await show(kube, name, options);
    } catch (error: unknown) {
      if (!isNotFound(error)) throw error;
      throw new Error(`Fairlead is not installed in ${kube.server}: run \`fairlead install\` first`, { cause: error });
    }
  });
}

/** `fairlead status`: exit code 1 when the named Application does not exist. */
export function statusCommand(): Command {
  const command = new Command('status')
    .description('Show the status of Applications, one row per destination.')
    .argument('[name]', 'only this Application')
    .option('-A, --all-namespaces', 'Applications of all namespaces')
    .option('-n, --namespace <name>', 'namespace of the Applications; default: the one of the context')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['table', 'wide', 'json', 'yaml']).default('table'),
    )
    .option('-w, --watch', 'print again on every change, until Ctrl-C');
  return withConnection(command).action(status);
}
