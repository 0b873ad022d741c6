import { Command } from 'commander';
import { namespaceResource } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { ClusterReference } from '#api/v1alpha1/destination.js';
import type { Template, TemplateKind } from '#api/v1alpha1/template.js';
import { isSharedWith } from '#controllers/application/model/spec/template-lookup.js';
import { applicationUsing } from '#queries/views/requests.js';
import { templateView } from '#queries/views/template-view.js';
import type { Kube } from '#runtime/client/kube.js';
import { describeObject } from '#lib/net/urls.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { FIELD_MANAGER } from '../command/application.js';
import { argument, namespaceArgument, objectArgument, repeated } from '../command/arguments.js';
import { inNamespace } from '../command/connection.js';
import { print, printSentence } from '../output/standard-output.js';
import { createNew, TEMPLATE_ARGUMENT, withTemplate, type TemplateOptions } from './options.js';
import { isForbidden, pinnedRevision, readSpec, readTemplate, type Wanted } from './read.js';

interface UseOptions extends TemplateOptions {
  readonly as?: string;
  readonly cluster?: readonly ClusterReference[];
  readonly targetNamespace?: string;
  readonly dryRun?: true;
}

/** The object of a cluster; a Cluster is one of KubeSphere, as without `apiGroup`. */
const clusterObject = argument((text): ClusterReference | undefined => {
  const [, kind, name = ''] = /^(Cluster|ClusterProfile|Secret)\/([^/]+)$/.exec(text) ?? [];
  return kind === undefined ? undefined : { kind: kind as ClusterReference['kind'], name }; // one of these
}, 'KIND/NAME; the kinds are Cluster, ClusterProfile and Secret');

/** What the user may not read is undefined, and left to the controller. */
async function ifAllowed<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error: unknown) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function checkShared(kube: Kube, { kind, metadata, spec }: Template, namespace: string): Promise<void> {
  const { sharedWith } = spec;
  if (metadata.namespace === namespace || isSharedWith(sharedWith, namespace, {})) return;
  if (sharedWith?.selector !== undefined) {
    const own = await ifAllowed(() => kube.get(namespaceResource, { name: namespace }));
    if (own === undefined || isSharedWith(sharedWith, namespace, own.metadata.labels ?? {})) return;
  }
  const object = describeObject(kind, metadata);
  throw new Error(`${object} is not shared with ${namespace}: \`fairlead template share\` does that`);
}

/** The kind of the template, which can be used by whom it is shared with, unseen. Throws if it cannot be used. */
async function checkedKind(kube: Kube, wanted: Wanted): Promise<TemplateKind> {
  const { text, namespace } = wanted;
  const template = await ifAllowed(() => readTemplate(kube, wanted));
  if (template === undefined) {
    if (wanted.kind !== undefined) return wanted.kind;
    throw new Error(`you may not read ${text}: to use it unseen, say of which kind it is with --kind`);
  }
  const { state, message } = templateView(template);
  if (state === 'Stalled' && pinnedRevision(text) === undefined) {
    throw new Error(`${describeObject(template.kind, template.metadata)} cannot be used: ${message}`);
  }
  await ifAllowed(() => readSpec(kube, template, text));
  await checkShared(kube, template, namespace);
  return template.kind as TemplateKind; // of this type
}

async function use(text: string, options: UseOptions): Promise<void> {
  const { as: name, kind: known, cluster: clusters = [], targetNamespace, dryRun = false } = options;
  if (name === undefined) throw new Error('name the Application with --as NAME');
  pinnedRevision(text);
  await inNamespace(options, async (kube, namespace) => {
    const kind = await checkedKind(kube, { text, namespace, kind: known });
    const application = applicationUsing({ name, namespace, kind, template: text, clusters, targetNamespace });
    await createNew(kube, applicationResource, application, { fieldManager: FIELD_MANAGER, dryRun });
    if (dryRun) print(printYaml(application).trimEnd());
    else printSentence(`Application ${namespace}/${name} created; \`fairlead status ${name} --wait\` waits for it`);
  });
}

/** `fairlead template use`: creates an Application; never changes one. */
export function useCommand(): Command {
  const command = new Command('use')
    .description('Create an Application that uses a template.')
    .argument('<name>', `${TEMPLATE_ARGUMENT}; @REVISION pins a revision`)
    .option('--as <name>', 'name of the Application; required', objectArgument)
    .option(
      '--cluster <kind/name>',
      'KIND/NAME of a cluster; may be repeated; default: the host',
      repeated(clusterObject),
    )
    .option('--target-namespace <name>', 'namespace to deploy to', namespaceArgument)
    .option('--dry-run', 'check and print the Application, and create nothing');
  return withTemplate(command).action(use);
}
