import type { Application } from '#api/v1alpha1/application.js';
import { isSaver, SAVE_LABELS } from '#api/v1alpha1/save-labels.js';
import { TEMPLATE_KINDS, type Template, type TemplateKind } from '#api/v1alpha1/template.js';
import { describeObject } from '../../runtime/pure/urls.js';
import { helmReleaseOf, kustomizationOf } from './flux-spec.js';
import { planSaving, savedName, savedTemplate, type Saving } from './saved-template.js';

/** The labels to write, null for one to remove, and what comes of it; or why there is nothing to ask for. */
type SaveRequest =
  | {
      readonly annotations: Readonly<Record<string, never>>;
      readonly labels: Readonly<Record<string, string | null>>;
      readonly done: string;
    }
  | { readonly refused: string };

/** The kind of template that an Application can be saved as. */
export function kindToSave(application: Application): TemplateKind {
  const hasFiles = helmReleaseOf(application) === undefined && kustomizationOf(application) !== undefined;
  return hasFiles ? 'KustomizationTemplate' : 'HelmTemplate';
}

/** What the controller would do about the label if the Application had it. */
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
  if (saving.op === 'refuse') return { refused: `it cannot be saved as a ${kind}: ${saving.why}` };
  if (saving.op === 'conflict') {
    return {
      refused: `${object} exists and does not belong to it: \`fairlead template save ${name} --as NAME\` saves it under another name`,
    };
  }
  if (isSaver(application, kind)) return { refused: `it is saved already, as ${object}` };
  const done = `saved as ${object}, which follows it until \`fairlead template save ${name} --release\``;
  return { annotations: {}, labels: { [SAVE_LABELS[kind][0]]: 'true' }, done };
}

/** Ends that; the template stays. Never throws. */
export function releaseRequest(application: Application): SaveRequest {
  const { metadata } = application;
  if (!TEMPLATE_KINDS.some((kind) => isSaver(application, kind))) return { refused: 'it is not saved as a template' };
  const present = TEMPLATE_KINDS.flatMap((kind) => SAVE_LABELS[kind]).filter(
    (label) => metadata.labels?.[label] !== undefined,
  );
  const labels = Object.fromEntries(present.map((label) => [label, null]));
  const { namespace } = metadata;
  const name = savedName(application);
  return { annotations: {}, labels, done: `released: template ${namespace}/${name} stays, and does not follow it` };
}

/** A template of another name, which follows nobody; or why there is none. Never throws. */
export function copyOf(application: Application, kind: TemplateKind, name: string): Template | { refused: string } {
  const saving = planned(application, kind, undefined);
  if (saving.op === 'refuse') return { refused: `it cannot be saved as a ${kind}: ${saving.why}` };
  const template = savedTemplate(application, kind);
  if (template === undefined) return { refused: `it cannot be saved as a ${kind}` };
  return { ...template, metadata: { name, namespace: template.metadata.namespace } };
}
