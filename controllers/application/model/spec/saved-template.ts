import type { Application } from '#api/v1alpha1/application.js';
import { APPLIED_DIGEST_ANNOTATION, SAVED_BY_ANNOTATION, isSaver, SAVE_LABELS } from '#api/v1alpha1/labels.js';
import { type Template, TEMPLATE_KINDS, type TemplateKind } from '#api/v1alpha1/template.js';
import { defined } from '#lib/plain.js';
import { keyOf } from '#lib/kube/keys.js';
import { digestOf, hashedName } from '#lib/hash.js';
import { includes } from '#lib/json/subset.js';
import { describeObject } from '#lib/net/urls.js';
import type { Layer } from '../child/layers.js';
import { configOf, fluxSpecOf, helmReleaseOf, inlineOf, kustomizationOf, sourceOf } from './flux-spec.js';

const MAX_NAME = 253;

/** What is to be done about the template that an Application saves, or saved. */
export type Saving =
  | { readonly op: 'none' }
  /** It asks to be saved and cannot be. */
  | { readonly op: 'refuse'; readonly why: string }
  | { readonly op: 'keep' | 'conflict'; readonly live: Template }
  | { readonly op: 'write'; readonly object: Template; readonly live: Template | undefined }
  | { readonly op: 'release'; readonly live: Template };

/** Name of the template that an Application saves: `<namespace>-<name>`, cut where no object may have it. */
export function savedName({ metadata }: Pick<Application, 'metadata'>): string {
  const name = `${metadata.namespace ?? ''}-${metadata.name}`;
  return name.length <= MAX_NAME ? name : hashedName(name, name, MAX_NAME);
}

/** What the Application says for all of its entries, as far as it suits other Applications. */
function deployDefaults(application: Application): Layer {
  const interval = fluxSpecOf(application)?.interval;
  const timeout = configOf(application)?.timeout;
  const deploy = defined({ interval, timeout });
  return Object.keys(deploy).length === 0 ? {} : { deploy };
}

/** Why an Application has nothing to save; undefined when it has. */
function whyNotSaved(application: Application, kind: TemplateKind): string | undefined {
  if (inlineOf(application) !== undefined) return 'its source is inline, and goes with its Applications';
  if (sourceOf(application) === undefined) return 'it has no source';
  if (kind === 'HelmTemplate') {
    return helmReleaseOf(application)?.chart === undefined ? 'it has no config.helmRelease.chart' : undefined;
  }
  const entries = kustomizationOf(application) ?? [];
  if (entries.length === 0) return 'it has no config.kustomization';
  if (entries.some(({ template }) => template !== undefined)) return 'an entry of config.kustomization uses a template';
  // Which place the files come from is what a template is about.
  const isOnePath = entries.every(({ path }) => path === entries[0]?.path);
  return isOnePath ? undefined : 'the entries of config.kustomization differ in path';
}

function contentOf(application: Application, kind: TemplateKind): Layer {
  if (kind === 'HelmTemplate') return { chart: helmReleaseOf(application)?.chart };
  const path = kustomizationOf(application)?.[0]?.path;
  return path === undefined ? {} : { path };
}

/** The template that an Application saves; undefined when it has none to save. A valid Application is assumed. */
export function savedTemplate(application: Application, kind: TemplateKind): Template | undefined {
  const source = sourceOf(application);
  const { namespace = '' } = application.metadata;
  if (source === undefined || whyNotSaved(application, kind) !== undefined) return undefined;
  const sourceRef = { ...source, namespace: source.namespace ?? namespace };
  const spec = { sourceRef, ...contentOf(application, kind), ...deployDefaults(application) };
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
  if (object === undefined) return { op: 'refuse', why: whyNotSaved(application, kind) ?? '' };
  if (live === undefined) return { op: 'write', object, live };
  if (isOwn) return isSame(live, object) ? { op: 'keep', live } : { op: 'write', object, live };
  return isSame(live, object) ? { op: 'write', object, live } : { op: 'conflict', live };
}

/** The labels to write, null for one to remove, and what comes of it; or why there is nothing to ask for. */
type SaveRequest =
  | {
      readonly annotations: Readonly<Record<string, never>>;
      readonly labels: Readonly<Record<string, string | null>>;
      readonly done: string;
    }
  | { readonly problem: string };

/** The kind of template that an Application can be saved as. */
export function kindToSave(application: Application): TemplateKind {
  const hasFiles = helmReleaseOf(application) === undefined && kustomizationOf(application) !== undefined;
  return hasFiles ? 'KustomizationTemplate' : 'HelmTemplate';
}

/** The action of the controller for the label if the Application had it. */
function planned(application: Application, kind: TemplateKind, live: Template | undefined): Saving {
  const { metadata } = application;
  const labels = { ...metadata.labels, [SAVE_LABELS[kind][0]]: 'true' };
  return planSaving({ ...application, metadata: { ...metadata, labels } }, kind, live);
}

/** The label by which the controller saves an Application as a template; `live` has its name already. Never throws. */
export function saveRequest(application: Application, kind: TemplateKind, live: Template | undefined): SaveRequest {
  const { name, namespace } = application.metadata;
  const object = describeObject(kind, { namespace, name: savedName(application) });
  const saving = planned(application, kind, live);
  if (saving.op === 'refuse') return { problem: `it cannot be saved as a ${kind}: ${saving.why}` };
  if (saving.op === 'conflict') {
    return {
      problem: `${object} exists and does not belong to it: \`fairlead template save ${name} --as NAME\` saves it under another name`,
    };
  }
  if (isSaver(application, kind)) return { problem: `it is saved already, as ${object}` };
  const done = `saved as ${object}, which follows it until \`fairlead template save ${name} --release\``;
  return { annotations: {}, labels: { [SAVE_LABELS[kind][0]]: 'true' }, done };
}

/** Ends that; the template stays. Never throws. */
export function releaseRequest(application: Application): SaveRequest {
  const { metadata } = application;
  if (!TEMPLATE_KINDS.some((kind) => isSaver(application, kind))) return { problem: 'it is not saved as a template' };
  const present = TEMPLATE_KINDS.flatMap((kind) => SAVE_LABELS[kind]).filter(
    (label) => metadata.labels?.[label] !== undefined,
  );
  const labels = Object.fromEntries(present.map((label) => [label, null]));
  const { namespace } = metadata;
  const name = savedName(application);
  return { annotations: {}, labels, done: `released: template ${namespace}/${name} stays, and does not follow it` };
}

/** A template of another name, which follows nobody; or why there is none. Never throws. */
export function copyOf(application: Application, kind: TemplateKind, name: string): Template | { problem: string } {
  const saving = planned(application, kind, undefined);
  if (saving.op === 'refuse') return { problem: `it cannot be saved as a ${kind}: ${saving.why}` };
  const template = savedTemplate(application, kind);
  if (template === undefined) return { problem: `it cannot be saved as a ${kind}` };
  return { ...template, metadata: { name, namespace: template.metadata.namespace } };
}
