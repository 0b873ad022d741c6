import { Command } from 'commander';
import { missingNamespaces } from '#queries/host/missing-namespaces.js';
import { doneText, shareRequest } from '#queries/views/requests.js';
import { type Kube, retryConflicts } from '#runtime/client/kube.js';
import { describeObject } from '#lib/net/urls.js';
import { FIELD_MANAGER } from '../command/application.js';
import { inNamespace } from '../command/connection.js';
import { DRY_RUN_FLAG } from '../change/request.js';
import { printSentence } from '../output/standard-output.js';
import { namespaceArgument, repeated } from '../command/arguments.js';
import { resourceOf, TEMPLATE_ARGUMENT, withTemplate, type TemplateOptions } from './options.js';
import { pinnedRevision, readTemplate, type Wanted } from './read.js';

interface ShareOptions extends TemplateOptions {
  readonly with?: readonly string[];
  readonly without?: readonly string[];
  readonly dryRun?: true;
}

async function shareOnce(kube: Kube, wanted: Wanted, options: ShareOptions): Promise<string> {
  const template = await readTemplate(kube, wanted);
  const { kind, metadata } = template;
  const object = describeObject(kind, metadata);
  const requested = shareRequest({ template, add: options.with ?? [], remove: options.without ?? [] });
  if ('problem' in requested) throw new Error(`${object}: ${requested.problem}`);
  const writing = { fieldManager: FIELD_MANAGER, dryRun: options.dryRun === true };
  await kube.patch(resourceOf(kind), metadata, { type: 'merge', body: requested.body }, writing);
  return doneText(`${object}: ${requested.done}`, options.dryRun === true);
}

async function share(text: string, options: ShareOptions): Promise<void> {
  const { with: add = [], without = [], kind } = options;
  if (add.length + without.length === 0) throw new Error('name a namespace: --with NAME, or --without NAME');
  if (pinnedRevision(text) !== undefined) throw new Error(`${text}: all revisions are shared: leave @REVISION out`);
  await inNamespace(options, async (kube, namespace) => {
    const [missing] = await missingNamespaces(kube, add);
    if (missing !== undefined) {
      throw new Error(`--with ${missing}: there is no namespace ${missing}: create it first, or correct the name`);
    }
    printSentence(await retryConflicts(() => shareOnce(kube, { text, namespace, kind }, options)));
  });
}

/** `fairlead template share`. */
export function shareCommand(): Command {
  const command = new Command('share')
    .description('Let other namespaces use a template, or no longer.')
    .argument('<name>', TEMPLATE_ARGUMENT)
    .option('--with <namespace>', 'a namespace that may use it; may be repeated', repeated(namespaceArgument))
    .option('--without <namespace>', 'one that may not any more; may be repeated', repeated(namespaceArgument))
    .option(...DRY_RUN_FLAG);
  return withTemplate(command).action(share);
}
