import { type Command, Option } from 'commander';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { TEMPLATE_KINDS, TEMPLATE_RESOURCES, type TemplateKind } from '#api/v1alpha1/template.js';
import type { Kube, WriteOptions } from '#runtime/client/kube.js';
import { apiStatusOf } from '#lib/errors.js';
import { describeObject } from '#lib/net/urls.js';
import { namespaceArgument } from '../command/arguments.js';
import { withConnection, type NamespaceOptions } from '../command/connection.js';

/** The options of a verb about named templates. */
export interface TemplateOptions extends NamespaceOptions {
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

/** The type of a template of this kind. */
export function resourceOf(kind: string): (typeof TEMPLATE_RESOURCES)[number] {
  return TEMPLATE_RESOURCES.find((each) => each.kind === kind) ?? TEMPLATE_RESOURCES[0];
}

/** Creates an object, and never writes over one. */
export async function createNew<T extends KubeObject>(
  kube: Kube,
  type: ResourceType,
  object: T,
  options: WriteOptions,
): Promise<void> {
  try {
    await kube.create(type, object, options);
  } catch (error: unknown) {
    if (apiStatusOf(error)?.code !== 409) throw error;
    const existing = describeObject(type.kind, object.metadata);
    throw new Error(`${existing} exists already: choose another name with --as`, { cause: error });
  }
}
