import { Option, type Command } from 'commander';
import { TEMPLATE_KINDS, type TemplateKind } from '../../api/v1alpha1/template.js';
import type { Kube } from '../../controllers/runtime/kube.js';
import { namespaceArgument } from '../arguments.js';
import { contextNamespace, withConnection, withKube, type ConnectionOptions } from '../connection.js';

/** The options of a verb about named templates. */
export interface TemplateOptions extends ConnectionOptions {
  readonly namespace?: string;
  readonly kind?: TemplateKind;
}

export const TEMPLATE_ARGUMENT = 'a template: NAME or NAMESPACE/NAME, as Applications name it';

/** Adds the flags that say which template is meant, and the cluster. */
export function withTemplate(command: Command): Command {
  return withConnection(
    command
      .option('-n, --namespace <name>', 'namespace; default: the one of the context', namespaceArgument)
      .addOption(new Option('--kind <kind>', 'kind of the template, if both have the name').choices(TEMPLATE_KINDS)),
  );
}

/** Runs `use` with the namespace that the flags say. */
export async function inNamespace(
  options: TemplateOptions,
  use: (kube: Kube, namespace: string) => Promise<void>,
): Promise<void> {
  await withKube(options, async (kube) => use(kube, options.namespace ?? (await contextNamespace(options))));
}
