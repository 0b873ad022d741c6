import { Command } from 'commander';
import { readTemplateRevisions } from '#queries/host/template-revisions.js';
import { templateDetail, templateDifferences, templateView } from '#queries/views/template-view.js';
import type { TemplateView } from '#queries/answers/templates.js';
import type { Difference } from '#lib/json/field-changes.js';
import { describeObject } from '#lib/net/urls.js';
import type { Kube } from '#runtime/client/kube.js';
import { inNamespace, withConnection, withKube } from '../command/connection.js';
import {
  checkNamespaces,
  inFormat,
  isTable,
  type ListingOptions,
  namespaceQuery,
  type OutputOptions,
  placeOf,
  withListing,
  withOutput,
} from '../output/listing.js';
import type { SourceTableOptions } from '../inspect/model/source-table.js';
import { note, outputTerminal, print } from '../output/standard-output.js';
import { exitAsDiff, orDiffError, showDifferences } from '../diff/revision-diff.js';
import { TEMPLATE_ARGUMENT, type TemplateOptions, withTemplate } from './options.js';
import { listTemplates, readSpec, readTemplate, readUsers, type Wanted } from './read.js';
import { templateTable, templateText } from './model/template-table.js';
import { saveCommand } from './save.js';
import { shareCommand } from './share.js';
import { useCommand } from './use.js';

function tableOptions(wide: boolean, allNamespaces: boolean): SourceTableOptions {
  return { wide, allNamespaces, terminal: outputTerminal(), now: Date.now() };
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

async function compare(kube: Kube, from: Wanted, to: Wanted): Promise<Difference[]> {
  const [one, other] = [await readTemplate(kube, from), await readTemplate(kube, to)];
  if (one.kind !== other.kind) {
    const both = [one, other].map(({ kind, metadata }) => describeObject(kind, metadata)).join(' and ');
    throw new Error(`${both} have nothing to compare: name two of one kind`);
  }
  return templateDifferences(await readSpec(kube, one, from.text), await readSpec(kube, other, to.text));
}

async function diff(from: string, to: string, options: TemplateOptions & OutputOptions): Promise<void> {
  const { kind } = options;
  const work = inNamespace(options, async (kube, namespace) => {
    const differences = await compare(kube, { text: from, namespace, kind }, { text: to, namespace, kind });
    showDifferences(differences, options);
  });
  await orDiffError(work);
}

/** `fairlead template diff`: exit codes as those of `fairlead diff`. */
export function diffCommand(): Command {
  const command = new Command('diff')
    .description('Show what differs between two templates, or two revisions of one.')
    .argument('<from>', `${TEMPLATE_ARGUMENT}, optionally with @REVISION`)
    .argument('<to>', 'the other one')
    .exitOverride(exitAsDiff);
  return withOutput(withTemplate(command)).action(diff);
}

/** `fairlead template`: the templates of both kinds, and what uses them. */
export function templateCommand(command: Command): void {
  for (const part of [listCommand(), showCommand(), diffCommand(), saveCommand(), useCommand(), shareCommand()])
    command.addCommand(part);
}
