import type { Application } from './application.js';
import { SAVE_HELM_LABELS, SAVE_KUSTOMIZATION_LABELS } from './labels.js';
import type { TemplateKind } from './template.js';

/** The labels that ask for a template of a kind; the first one is ours. */
export const SAVE_LABELS = {
  HelmTemplate: SAVE_HELM_LABELS,
  KustomizationTemplate: SAVE_KUSTOMIZATION_LABELS,
} as const;

/** True when the Application asks for its chart, or its files, to be saved as a template. */
export function isSaver({ metadata }: Pick<Application, 'metadata'>, kind: TemplateKind): boolean {
  return SAVE_LABELS[kind].some((label) => metadata.labels?.[label] === 'true');
}
