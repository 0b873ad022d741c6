import { type Command, Option } from 'commander';
import type { KubeObject } from '#api/meta.js';
import { listed, oneLine } from '#lib/text/text.js';
import { printJson } from '#lib/json/lossless-json.js';
import { parseYaml, printYaml } from '#lib/yaml/yaml.js';
import { readChildren } from '#queries/plans/planned.js';
import { namespaceArgument, pathArgument } from '../command/arguments.js';
import { type ConnectionOptions, inNamespace, withConnection } from '../command/connection.js';
import { interruption } from '../command/exit.js';
import { checkHelm, checkKustomize, withWorkbench } from '../command/local-helm.js';
import { readApplication } from '../command/application.js';
import { filesArgument } from '../command/files.js';
import { note, print } from '../output/standard-output.js';
import { harmlessJson, harmlessYaml } from '../output/model/text.js';
import { isApplication } from './model/completed.js';
import { objectsOf, type RenderedFile, type RenderedFiles, renderFiles } from './file-world.js';
import { type ManifestOptions, manifestSettings, type ManifestSettings, withManifestFlags } from './manifest-flags.js';
import { type ChildManifests, type ManifestDocument, type RenderedManifests, renderManifests } from './manifests.js';

function headOf({ child, cluster, namespace }: ChildManifests): string {
  const place = namespace === undefined ? '' : `, namespace ${namespace}`;
  return `# ${oneLine(`${child} on ${cluster}${place}`)}`;
}

function documentText({ path, text }: ManifestDocument): string[] {
  return ['---', ...(path === undefined ? [] : [`# Source: ${oneLine(path)}`]), harmlessYaml(text)];
}

/** All manifests as YAML, which kubectl takes; a comment before those of each child says whose they are, and where. */
export function manifestYaml(all: readonly ChildManifests[]): string {
  return all.flatMap((each) => [headOf(each), ...each.documents.flatMap(documentText)]).join('\n');
}

/** A List with one List for each child, which kubectl takes, and which says whose objects it has, and where they go. */
export function manifestJson(all: readonly ChildManifests[]): string {
  const list = { apiVersion: 'v1', kind: 'List' };
  const items = all.map(({ child, application, cluster, namespace, documents }) => ({
    ...{ ...list, child, application, cluster, namespace },
    items: documents.map(({ text }) => parseYaml(text)),
  }));
  return harmlessJson(printJson({ ...list, items }, 2));
}

interface RenderOptions extends ManifestOptions, ConnectionOptions {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly helmPath?: string;
  readonly crossNamespaceRefs: boolean;
  readonly output: 'yaml' | 'json';
}

const NAMED = 10;

function textOf(children: readonly KubeObject[], output: RenderOptions['output']): string {
  if (output === 'json') return harmlessJson(printJson({ apiVersion: 'v1', kind: 'List', items: children }, 2));
  return children.map((child) => harmlessYaml(printYaml(child).trimEnd())).join('\n---\n');
}

/** Says what has no child, and why. Returns how many that are. */
function rejectedIn({ application, rendered }: RenderedFile): number {
  const { namespace = '', name } = application.metadata;
  for (const warning of rendered.warnings) note(`Application ${namespace}/${name}: ${warning}`);
  for (const { entry, violation } of rendered.rejected) {
    note(`Application ${namespace}/${name}: ${entry.path} is rejected: ${violation.message}`);
  }
  return rendered.rejected.length;
}

/** Says what is not as the files have it. Returns false if something of them is missing. */
function isWhole({ files, notes, unrendered }: RenderedFiles): boolean {
  for (const text of notes) note(text);
  if (unrendered !== undefined) note(unrendered);
  const rejected = files.reduce((sum, file) => sum + rejectedIn(file), 0);
  return rejected === 0 && unrendered === undefined;
}

function printChildren(found: RenderedFiles, output: RenderOptions['output']): void {
  const children = found.files.flatMap((file) => file.rendered.children);
  if (!isWhole(found)) process.exitCode = 1;
  if (children.length > 0) print(textOf(children, output));
}

function printManifests(found: RenderedManifests, output: RenderOptions['output']): void {
  const { manifests, problems } = found;
  if (!isWhole(found) || problems.length > 0) process.exitCode = 1;
  for (const problem of problems) note(problem);
  if (manifests.length > 0) print(output === 'json' ? manifestJson(manifests) : manifestYaml(manifests));
}

/** The children of an Application as the cluster has it. */
async function renderLive(name: string, options: RenderOptions): Promise<void> {
  const { helmPath, output } = options;
  await checkHelm(helmPath);
  await inNamespace(options, async (kube, namespace) => {
    const application = await readApplication(kube, name, namespace);
    const { rendered, notes } = await withWorkbench(helmPath, (workbench) =>
      readChildren(application, { kube, ...workbench, signal: interruption() }),
    );
    printChildren({ files: [{ application, rendered }], notes, unrendered: undefined }, output);
  });
}

const FORMS = '`fairlead render NAME`, or `fairlead render -f FILE`';

/** Throws when argument and flags do not go together. */
function checkForm(name: string | undefined, options: RenderOptions): void {
  const { filename, kubeconfig, context, manifests, crossNamespaceRefs } = options;
  if (name === undefined && filename === undefined) {
    throw new Error(`name an Application, or name a file with -f: ${FORMS}`);
  }
  if (name !== undefined && filename !== undefined) {
    throw new Error(`${name}: with -f, there is no name: ${FORMS}`);
  }
  const [meant, stray] =
    name === undefined
      ? ['with -f, which asks no cluster', { '--kubeconfig': kubeconfig, '--context': context }]
      : [
          'without -f',
          { '--manifests': manifests, '--no-cross-namespace-refs': crossNamespaceRefs ? undefined : true },
        ];
  const [flag] = Object.entries(stray).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw new Error(`${flag} has no effect ${meant}: ${FORMS}`);
}

/** The children of files, or their manifests, without a cluster. */
async function renderFrom(options: RenderOptions, manifests: ManifestSettings | undefined): Promise<void> {
  const { filename = [], namespace = 'default', helmPath, crossNamespaceRefs: allowCrossNamespace, output } = options;
  await checkHelm(helmPath);
  await checkKustomize(options.kustomizePath);
  const objects = await objectsOf(filename, namespace);
  if (!objects.some(isApplication)) throw new Error(`there is no Application in ${listed(filename, NAMED)}`);
  const settings = { helmPath, allowCrossNamespace, signal: interruption() };
  if (manifests === undefined) printChildren(await renderFiles(objects, settings), output);
  else printManifests(await renderManifests(objects, { ...settings, ...manifests }), output);
}

async function render(name: string | undefined, options: RenderOptions): Promise<void> {
  checkForm(name, options);
  const manifests = await manifestSettings(options);
  if (name === undefined) await renderFrom(options, manifests);
  else await renderLive(name, options);
}

/** `fairlead render`: what the controller would create, of files without any cluster. */
export function renderCommand(command: Command): void {
  command
    .description(
      'Print the releases that the controller would create of an Application, or of files without a cluster, and their manifests.',
    )
    .argument('[name]', 'an Application of the cluster; not with files')
    .option(
      '-f, --filename <file>',
      'a YAML file, a folder of them, or - for the standard input; may be repeated',
      filesArgument,
    )
    .option(
      '-n, --namespace <name>',
      'namespace; default: the one of the context, and `default` with files',
      namespaceArgument,
    )
    .option('--helm-path <file>', 'helm 4, for templates and charts; default: that of PATH', pathArgument)
    .option(
      '--no-cross-namespace-refs',
      'as a controller with this flag: sources and templates of other namespaces are refused',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'));
  withConnection(withManifestFlags(command)).action(render);
}
