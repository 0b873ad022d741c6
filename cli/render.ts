import { Command, Option } from 'commander';
import type { KubeObject } from '../api/meta.js';
import { listed } from '../controllers/runtime/pure/listed.js';
import { printJson } from '../controllers/runtime/pure/lossless-json.js';
import { oneLine } from '../controllers/runtime/pure/one-line.js';
import { printYaml } from '../controllers/runtime/pure/yaml.js';
import { namespaceArgument, pathArgument } from './arguments.js';
import { checkHelm } from './local-helm.js';
import { interruption } from './interruption.js';
import { filesArgument } from './read-files.js';
import { isApplication } from './render/completed.js';
import { objectsOf } from './render/file-world.js';
import { renderFiles, type RenderedFile } from './render/render-files.js';
import { print } from './terminal/standard-output.js';
import { harmlessJson } from './terminal/text.js';

interface RenderOptions {
  readonly filename?: readonly string[];
  readonly namespace: string;
  readonly helmPath?: string;
  readonly crossNamespaceRefs: boolean;
  readonly output: 'yaml' | 'json';
}

const NAMED = 10;

function note(text: string): void {
  process.stderr.write(`${oneLine(text)}\n`);
}

function textOf(children: readonly KubeObject[], output: RenderOptions['output']): string {
  if (output === 'json') return harmlessJson(printJson({ apiVersion: 'v1', kind: 'List', items: children }, 2));
  return children.map((child) => printYaml(child).trimEnd()).join('\n---\n');
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

async function render(options: RenderOptions): Promise<void> {
  const { filename = [], namespace, helmPath, crossNamespaceRefs: allowCrossNamespace, output } = options;
  await checkHelm(helmPath);
  const objects = await objectsOf(filename, namespace);
  if (!objects.some(isApplication)) throw new Error(`there is no Application in ${listed(filename, NAMED)}`);
  const settings = { helmPath, allowCrossNamespace, signal: interruption() };
  const { files, notes, unrendered } = await renderFiles(objects, settings);
  for (const text of notes) note(text);
  if (unrendered !== undefined) note(unrendered);
  const rejected = files.reduce((sum, file) => sum + rejectedIn(file), 0);
  const children = files.flatMap((file) => file.rendered.children);
  if (children.length > 0) print(textOf(children, output));
  if (rejected > 0 || unrendered !== undefined) process.exitCode = 1;
}

/** `fairlead render`: what the controller would create, without any cluster. */
export function renderCommand(): Command {
  return new Command('render')
    .description('Print the releases that the controller would create of files, without a cluster.')
    .option(
      '-f, --filename <file>',
      'a YAML file, a folder of them, or - for the standard input; may be repeated',
      filesArgument,
    )
    .option('-n, --namespace <name>', 'namespace of objects that name none', namespaceArgument, 'default')
    .option('--helm-path <file>', 'helm 4, for templates of values; default: that of PATH', pathArgument)
    .option(
      '--no-cross-namespace-refs',
      'as a controller with this flag: sources and templates of other namespaces are refused',
    )
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .action(render);
}
