import type { Application } from '#api/v1alpha1/application.js';
import type { HelmTemplate, HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { KustomizationTemplate } from '#api/v1alpha1/kustomization-template.js';
import type { TemplateInUse } from '#api/v1alpha1/template.js';
import type { Usage } from '#controllers/template/model/usage.js';

const API_VERSION = 'gitops.kubesphere.io/v1alpha1';

export function helmTemplate(spec: Partial<HelmTemplateSpec> = {}, more: Partial<HelmTemplate> = {}): HelmTemplate {
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' } as const;
  return {
    apiVersion: API_VERSION,
    kind: 'HelmTemplate',
    metadata: { name: 'web', namespace: 'shop', uid: 'template-uid', generation: 2 },
    spec: { sourceRef, chart: { chart: 'podinfo', version: '1.x' }, ...spec },
    ...more,
  };
}

export function kustomizationTemplate(spec: Partial<KustomizationTemplate['spec']> = {}): KustomizationTemplate {
  const { metadata } = helmTemplate();
  const sourceRef = { kind: 'GitRepository', name: 'apps', namespace: 'shop' } as const;
  return { apiVersion: API_VERSION, kind: 'KustomizationTemplate', metadata, spec: { sourceRef, ...spec } };
}

/** An Application that says in its status what it uses. */
export function user(templates: readonly TemplateInUse[], ...revisions: string[]): Application {
  const status = { templates: [...templates], revisions };
  return {
    apiVersion: API_VERSION,
    kind: 'Application',
    metadata: { name: 'app', namespace: 'shop' },
    spec: {},
    status,
  };
}

export const UNUSED: Usage = { usedBy: 0, revisions: new Set(), chartVersionOf: () => undefined };
