import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { KustomizationTemplateSpec } from '#api/v1alpha1/kustomization-template.js';
import type { TemplateObject, World } from './facts.js';

interface Reference {
  readonly kind: TemplateObject['kind'];
  /** `NAME` or `NAMESPACE/NAME`, optionally followed by `@REVISION`. */
  readonly reference: string;
}

const REFERENCE = /^(?:([^/@]+)\/)?([^/@]+)(?:@(\d+))?$/;

const mayUse = (template: TemplateObject, namespace: string): boolean =>
  template.namespace === namespace || template.sharedWith.includes(namespace);

/**
 * The template that an Application of `namespace` refers to, or undefined if it must not use one: it is missing, not
 * shared, broken, or does not have the revision.
 */
export function findTemplate(
  world: World,
  namespace: string,
  { kind, reference }: Reference,
): HelmTemplateSpec | KustomizationTemplateSpec | undefined {
  const [, where = namespace, name = '', revision] = REFERENCE.exec(reference) ?? [];
  const names = reference.includes('/') ? [name] : [name, `${namespace}-${name}`];
  const candidates = world.templates.filter((each) => each.kind === kind && each.namespace === where);
  const template = names
    .map((each) => candidates.find((candidate) => candidate.name === each))
    .find((each) => each !== undefined);
  if (template === undefined || !mayUse(template, namespace)) return undefined;
  if (revision !== undefined) return template.revisions[Number(revision) - 1];
  return template.isBroken ? undefined : template.revisions.at(-1);
}
