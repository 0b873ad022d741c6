import type { KubeObject } from '../meta.js';
import type { ApplicationStatus } from './application.js';
import { helmTemplateResource, type HelmTemplate, type HelmTemplateSpec } from './helm-template.js';
import {
  kustomizationTemplateResource,
  type KustomizationTemplate,
  type KustomizationTemplateSpec,
} from './kustomization-template.js';
import type { TemplateInUse } from './template-fields.js';

export type { TemplateInUse };

/** The two kinds of templates. */
export type Template = HelmTemplate | KustomizationTemplate;

export const TEMPLATE_KINDS = ['HelmTemplate', 'KustomizationTemplate'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** Both kinds of templates, in the order in which they are set up. */
export const TEMPLATE_RESOURCES = [helmTemplateResource, kustomizationTemplateResource] as const;

/** What a revision of a template contains: everything except who may use it, for which the current value applies. */
export type RevisionSpec = Omit<HelmTemplateSpec, 'sharedWith'> | Omit<KustomizationTemplateSpec, 'sharedWith'>;

/** apps/v1 ControllerRevision, as a template's history. */
export interface TemplateRevision extends KubeObject {
  /** As we write it. Others may write anything: read it with `revisionSpecOf`. */
  readonly data: { readonly spec: RevisionSpec };
  /** Counts up from 1. */
  readonly revision: number;
}

/** True for a spec that names its source: everything else in a revision may be missing. */
export function namesSource(spec: unknown): boolean {
  if (typeof spec !== 'object' || spec === null || !('sourceRef' in spec)) return false;
  const { sourceRef } = spec;
  if (typeof sourceRef !== 'object' || sourceRef === null || !('kind' in sourceRef && 'name' in sourceRef))
    return false;
  return typeof sourceRef.kind === 'string' && typeof sourceRef.name === 'string';
}

/** The spec in a revision; undefined for an object that only has the label. Never throws. */
export function revisionSpecOf({ data }: { readonly data?: unknown }): RevisionSpec | undefined {
  const spec: unknown = typeof data === 'object' && data !== null && 'spec' in data ? data.spec : undefined;
  // A spec with a source was created from a template; nothing else of it is assumed.
  return namesSource(spec) ? (spec as RevisionSpec) : undefined;
}

const SEPARATOR = ', ';
const IN_USE = /^(HelmTemplate|KustomizationTemplate|HelmChart) ([^/@]+)\/([^/@]+)(?:@(\d+))?$/;

/** `HelmTemplate namespace/name@revision`. */
function printTemplateInUse({ kind, namespace, name, revision }: TemplateInUse): string {
  const object = `${kind} ${namespace}/${name}`;
  return revision === undefined ? object : `${object}@${revision}`;
}

/** Each template once, by kind, namespace, name and revision. */
export function distinctTemplates(templates: readonly TemplateInUse[]): TemplateInUse[] {
  const byText = new Map(templates.map((each) => [printTemplateInUse(each), each]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** `status.template` for `status.templates`. */
export function printTemplatesInUse(templates: readonly TemplateInUse[]): string {
  return templates.map(printTemplateInUse).join(SEPARATOR);
}

/** Inverse of `printTemplatesInUse`; other parts are ignored. */
function parseTemplatesInUse(text: string | undefined): TemplateInUse[] {
  return (text?.split(SEPARATOR) ?? []).flatMap((part) => {
    const [, kind, namespace = '', name = '', revision] = IN_USE.exec(part) ?? [];
    if (kind === undefined) return [];
    const numbered = revision === undefined ? {} : { revision: Number(revision) };
    return [{ kind: kind as TemplateInUse['kind'], namespace, name, ...numbered }];
  });
}

/** The templates in use by a status; one of an earlier version has them as text only. Never throws. */
export function templatesInUse(
  status: Readonly<Pick<ApplicationStatus, 'template' | 'templates'>> | undefined,
): readonly TemplateInUse[] {
  return status?.templates ?? parseTemplatesInUse(status?.template);
}
