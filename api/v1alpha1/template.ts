import type { KubeObject } from '../meta.js';
import { helmTemplateResource, type HelmTemplate, type HelmTemplateSpec } from './helm-template.js';
import {
  kustomizationTemplateResource,
  type KustomizationTemplate,
  type KustomizationTemplateSpec,
} from './kustomization-template.js';

/** The two kinds of templates. */
export type Template = HelmTemplate | KustomizationTemplate;

export const TEMPLATE_KINDS = ['HelmTemplate', 'KustomizationTemplate'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** Both kinds of templates, in the order in which they are set up. */
export const TEMPLATE_RESOURCES = [helmTemplateResource, kustomizationTemplateResource] as const;

/** What a revision of a template keeps: everything but who may use it, which always counts as it is now. */
export type RevisionSpec = Omit<HelmTemplateSpec, 'sharedWith'> | Omit<KustomizationTemplateSpec, 'sharedWith'>;

/** apps/v1 ControllerRevision, as a template's history. */
export interface TemplateRevision extends KubeObject {
  /** As we write it; whoever may write such objects can write anything: read it by `revisionSpecOf`. */
  readonly data: { readonly spec: RevisionSpec };
  /** Counts up from 1. */
  readonly revision: number;
}

/** True for what says which source it is about: all else in a revision may be missing. */
export function namesSource(spec: unknown): boolean {
  if (typeof spec !== 'object' || spec === null || !('sourceRef' in spec)) return false;
  const { sourceRef } = spec;
  if (typeof sourceRef !== 'object' || sourceRef === null || !('kind' in sourceRef && 'name' in sourceRef))
    return false;
  return typeof sourceRef.kind === 'string' && typeof sourceRef.name === 'string';
}

/** What a revision keeps; undefined for an object that only has its label. Never throws. */
export function revisionSpecOf({ data }: { readonly data?: unknown }): RevisionSpec | undefined {
  const spec: unknown = typeof data === 'object' && data !== null && 'spec' in data ? data.spec : undefined;
  // What has a source was made from a template; nothing else of it is read unasked.
  return namesSource(spec) ? (spec as RevisionSpec) : undefined;
}

/** A template as an Application uses it. */
export interface TemplateInUse {
  /** A template of ours, or a labelled HelmChart of ks-devops. */
  readonly kind: TemplateKind | 'HelmChart';
  readonly namespace: string;
  readonly name: string;
  /** A HelmChart has none. */
  readonly revision?: number | undefined;
}

const SEPARATOR = ', ';
const IN_USE = /^(HelmTemplate|KustomizationTemplate|HelmChart) ([^/@]+)\/([^/@]+)(?:@(\d+))?$/;

/** `HelmTemplate namespace/name@revision`, as `status.template` of an Application says it. */
export function printTemplateInUse({ kind, namespace, name, revision }: TemplateInUse): string {
  const object = `${kind} ${namespace}/${name}`;
  return revision === undefined ? object : `${object}@${revision}`;
}

/** What `status.template` says, each template once and in the order of their names; undefined when none is in use. */
export function printTemplatesInUse(templates: readonly TemplateInUse[]): string | undefined {
  const texts = [...new Set(templates.map(printTemplateInUse))].sort();
  return texts.length === 0 ? undefined : texts.join(SEPARATOR);
}

/** Inverse of `printTemplatesInUse`; parts that say something else are passed over. */
export function parseTemplatesInUse(text: string | undefined): TemplateInUse[] {
  return (text?.split(SEPARATOR) ?? []).flatMap((part) => {
    const [, kind, namespace = '', name = '', revision] = IN_USE.exec(part) ?? [];
    if (kind === undefined) return [];
    const numbered = revision === undefined ? {} : { revision: Number(revision) };
    return [{ kind: kind as TemplateInUse['kind'], namespace, name, ...numbered }];
  });
}
