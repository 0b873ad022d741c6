import type { Application } from '../../../api/v1alpha1/application.js';
import {
  APPLIED_DIGEST_ANNOTATION,
  SAVED_BY_ANNOTATION,
  SAVE_HELM_LABELS,
  SAVE_KUSTOMIZATION_LABELS,
} from '../../../api/v1alpha1/labels.js';
import type { Template, TemplateKind } from '../../../api/v1alpha1/template.js';
import { digestOf } from '../../runtime/pure/canonical-json.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { hashedName } from '../../runtime/pure/short-hash.js';
import { includes } from '../../runtime/pure/subset.js';
import { configOf, fluxSpecOf, helmReleaseOf, kustomizationOf, sourceOf } from './flux-spec.js';
import type { Layer } from './layers.js';

const MAX_NAME = 253;
const LABELS: Readonly<Record<TemplateKind, readonly string[]>> = {
  HelmTemplate: SAVE_HELM_LABELS,
  KustomizationTemplate: SAVE_KUSTOMIZATION_LABELS,
};

/** What is to be done about the template that an Application saves, or saved. */
export type Saving =
  | { readonly op: 'none' }
  | { readonly op: 'keep' | 'conflict'; readonly live: Template }
  | { readonly op: 'write'; readonly object: Template; readonly live: Template | undefined }
  | { readonly op: 'release'; readonly live: Template };

/** Name of the template that an Application saves: `<namespace>-<name>`, cut where no object may have it. */
export function savedName({ metadata }: Pick<Application, 'metadata'>): string {
  const name = `${metadata.namespace ?? ''}-${metadata.name}`;
  return name.length <= MAX_NAME ? name : hashedName(name, name, MAX_NAME);
}

/** True when the Application asks for its chart, or its files, to be saved as a template. */
export function isSaver({ metadata }: Pick<Application, 'metadata'>, kind: TemplateKind): boolean {
  return LABELS[kind].some((label) => metadata.labels?.[label] === 'true');
}

/** What the Application says for all of its entries, as far as it suits other Applications. */
function deployDefaults(application: Application): Layer {
  const interval = fluxSpecOf(application)?.interval;
  const timeout = configOf(application)?.timeout;
  const deploy = { ...(interval === undefined ? {} : { interval }), ...(timeout === undefined ? {} : { timeout }) };
  return Object.keys(deploy).length === 0 ? {} : { deploy };
}

/** Files are saved when all entries take them from one place; which place is what a template is about. */
function contentOf(application: Application, kind: TemplateKind): Layer | undefined {
  if (kind === 'HelmTemplate') {
    const chart = helmReleaseOf(application)?.chart;
    return chart === undefined ? undefined : { chart };
  }
  const entries = kustomizationOf(application) ?? [];
  const paths = new Set(entries.map(({ path }) => path));
  const [path] = paths;
  if (entries.some(({ template }) => template !== undefined) || paths.size !== 1) return undefined;
  return path === undefined ? {} : { path };
}

/** The template that an Application saves; undefined when it has none to save. A valid Application is assumed. */
export function savedTemplate(application: Application, kind: TemplateKind): Template | undefined {
  const source = sourceOf(application);
  const content = contentOf(application, kind);
  const { namespace } = application.metadata;
  if (source === undefined || content === undefined || namespace === undefined) return undefined;
  const sourceRef = { ...source, namespace: source.namespace ?? namespace };
  const spec = { sourceRef, ...content, ...deployDefaults(application) };
  const annotations = {
    [SAVED_BY_ANNOTATION]: keyOf(application.metadata),
    [APPLIED_DIGEST_ANNOTATION]: digestOf(spec),
  };
  const metadata = { name: savedName(application), namespace, annotations };
  // The fields of an Application are those of a template: both come from the same schemas.
  return { apiVersion: application.apiVersion, kind, metadata, spec } as Template;
}

function isSavedBy(template: Template, application: Application): boolean {
  return template.metadata.annotations?.[SAVED_BY_ANNOTATION] === keyOf(application.metadata);
}

/** True when `live` is what the Application would save: taking it over overwrites nothing. */
function isSame(live: Template, object: Template): boolean {
  const digest = object.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION];
  return live.metadata.annotations?.[APPLIED_DIGEST_ANNOTATION] === digest && includes(live.spec, object.spec);
}

/** What becomes of the template of that name, when `live` is the one that exists. Never throws. */
export function planSaving(application: Application, kind: TemplateKind, live: Template | undefined): Saving {
  const isOwn = live !== undefined && isSavedBy(live, application);
  if (!isSaver(application, kind)) return isOwn ? { op: 'release', live } : { op: 'none' };
  const object = savedTemplate(application, kind);
  if (object === undefined) return { op: 'none' };
  if (live === undefined) return { op: 'write', object, live };
  if (isOwn) return isSame(live, object) ? { op: 'keep', live } : { op: 'write', object, live };
  return isSame(live, object) ? { op: 'write', object, live } : { op: 'conflict', live };
}
