import { InvalidArgumentError, Option, type Command } from 'commander';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { TEMPLATE_KINDS, type TemplateKind } from '#api/v1alpha1/template.js';
import { objectName } from '#manager/option-values.js';
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

/** The value of a flag that names an object. */
export function objectArgument(text: string): string {
  const name = objectName(text);
  if (name !== undefined) return name;
  throw new InvalidArgumentError('must be the name of an object.');
}

/** The value of a flag that names a namespace, and may be repeated. */
export function namespacesArgument(text: string, before: readonly string[] = []): string[] {
  return [...before, namespaceArgument(text)];
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
