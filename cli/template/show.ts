import { Command } from 'commander';
import { readTemplateRevisions } from '#queries/host/template-revisions.js';
import { templateDetail, templateView, type TemplateView } from '#queries/views/template-view.js';
import { inNamespace, withConnection, withKube } from '../connection.js';
import {
  checkNamespaces,
  inFormat,
  isTable,
  namespaceQuery,
  placeOf,
  withListing,
  withOutput,
  type ListingOptions,
  type OutputOptions,
} from '../listing.js';
import type { SourceTableOptions } from '../source/source-table.js';
import { outputTerminal, print } from '../terminal/standard-output.js';
import { TEMPLATE_ARGUMENT, withTemplate, type TemplateOptions } from './options.js';
import { listTemplates, readSpec, readTemplate, readUsers } from './read.js';
import { templateTable, templateText } from './template-table.js';

function tableOptions(wide: boolean, allNamespaces: boolean): SourceTableOptions {
  return { wide, allNamespaces, terminal: outputTerminal(), now: Date.now() };
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

function byName(a: TemplateView, b: TemplateView): number {
  const [one, other] = [a, b].map(({ namespace, name, kind }) => `${namespace}/${name}/${kind}`);
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

async function list(options: ListingOptions): Promise<void> {
  checkNamespaces(options);
  await withKube(options, async (kube) => {
    const query = await namespaceQuery(options);
    const { templates, hidden } = await listTemplates(kube, query);
    const views = templates.map(templateView).sort(byName);
    const all = options.allNamespaces === true;
    if (isTable(options) && views.length === 0) note(`No templates in ${placeOf(query)}.`);
    else print(inFormat(options, { templates: views }, (wide) => templateTable(views, tableOptions(wide, all))));
    if (hidden.length > 0) note(`You may not list ${hidden.join(', ')}: they are not shown.`);
  });
}

/** `fairlead template list`. */
export function listCommand(): Command {
  const command = new Command('list').description('Show templates, and how many Applications use them.');
  return withConnection(withListing(command, 'templates')).action(list);
}

async function show(text: string, options: TemplateOptions & OutputOptions): Promise<void> {
  await inNamespace(options, async (kube, namespace) => {
    const template = await readTemplate(kube, { text, namespace, kind: options.kind });
    const spec = await readSpec(kube, template, text);
    const revisions = await readTemplateRevisions(kube, template);
    const { applications, hasAll } = await readUsers(kube, namespace);
    const detail = { ...templateDetail({ template, revisions, applications }), spec };
    print(inFormat(options, detail, (wide) => templateText(detail, tableOptions(wide, false))));
    if (!hasAll) note('You may not list Applications of all namespaces: some that use it are not shown.');
  });
}

/** `fairlead template show`: exit code 1 when there is none. */
export function showCommand(): Command {
  const command = new Command('show')
    .description('Show a template, its revisions, and what uses it.')
    .argument('<name>', `${TEMPLATE_ARGUMENT}; with @REVISION, that revision`);
  return withOutput(withTemplate(command)).action(show);
}
