import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Template, TemplateKind } from '#api/v1alpha1/template.js';
import { planSaving, savedName, savedTemplate } from '#controllers/application/model/spec/saved-template.js';
import { application, deploy, files, filesApplication } from './builders.js';

function saver(label?: string, name = 'web'): Application {
  const app = application([deploy('eu', 'eu', { values: { secret: 1 } })]);
  return {
    ...app,
    metadata: { ...app.metadata, name, ...(label === undefined ? {} : { labels: { [label]: 'true' } }) },
  };
}

const LABEL = 'gitops.kubesphere.io/save-helmtemplate';

function saved(app: Application): Template {
  return savedTemplate(app, 'HelmTemplate')!;
}

describe('an Application that is saved as a template', () => {
  it('gives source and chart, and nothing of its destinations', () => {
    expect(saved(saver(LABEL))).toMatchObject({
      metadata: { name: 'shop-web', namespace: 'shop', annotations: { 'gitops.kubesphere.io/saved-by': 'shop/web' } },
      spec: {
        sourceRef: { kind: 'HelmRepository', name: 'charts', namespace: 'shop' },
        chart: { chart: 'podinfo', version: '1.x' },
      },
    });
    expect(JSON.stringify(saved(saver(LABEL)))).not.toContain('secret');
  });

  it('has a name that fits', () => {
    const long = savedName(saver(LABEL, 'a'.repeat(253)));
    expect(long).toMatch(/^shop-a+-[a-z2-7]{10}$/);
    expect(long).toHaveLength(253);
    expect(savedName(saver(LABEL, `${'a'.repeat(252)}b`))).not.toBe(long);
  });

  it.each([LABEL, 'gitops.kubesphere.io/save-helm-template'])('is asked for by %s', (label) => {
    expect(planSaving(saver(label), 'HelmTemplate', undefined)).toMatchObject({ op: 'write', live: undefined });
    expect(planSaving(saver(label), 'KustomizationTemplate', undefined)).toEqual({ op: 'none' });
  });

  it.each<[string, Application, TemplateKind, string]>([
    ['no files', application([deploy('a')]), 'KustomizationTemplate', 'it has no config.kustomization'],
    ['no chart', filesApplication([files('a')]), 'HelmTemplate', 'it has no config.helmRelease.chart'],
    [
      'several paths',
      filesApplication([files('a', undefined, { path: './a' }), files('b', undefined, { path: './b' })]),
      'KustomizationTemplate',
      'the entries of config.kustomization differ in path',
    ],
    [
      'a template of its own',
      filesApplication([files('a', undefined, { template: 'base' })]),
      'KustomizationTemplate',
      'an entry of config.kustomization uses a template',
    ],
    [
      'no source',
      { ...application([]), spec: { kind: 'fluxcd', fluxApp: { spec: { config: {} } } } },
      'HelmTemplate',
      'it has no source',
    ],
  ])('is refused with %s, and what was saved before stays', (_, app, kind, why) => {
    const labels = { [LABEL]: 'true', 'gitops.kubesphere.io/save-kustomizationtemplate': 'true' };
    const asking = { ...app, metadata: { ...app.metadata, labels } };
    expect(planSaving(asking, kind, undefined)).toEqual({ op: 'refuse', why });
    expect(planSaving(asking, kind, saved(saver(LABEL)))).toEqual({ op: 'refuse', why });
  });

  it('is followed, kept when nothing changed, and released without the label', () => {
    const live = saved(saver(LABEL));
    expect(planSaving(saver(LABEL), 'HelmTemplate', live).op).toBe('keep');
    const edited = { ...live, spec: { ...live.spec, chart: { chart: 'other' } } } as Template;
    expect(planSaving(saver(LABEL), 'HelmTemplate', edited).op).toBe('write');
    expect(planSaving(saver(), 'HelmTemplate', live).op).toBe('release');
    expect(planSaving(saver(), 'HelmTemplate', undefined).op).toBe('none');
  });

  it('overwrites nothing of anybody else', () => {
    const live = saved(saver(LABEL));
    const foreign = { ...live, metadata: { ...live.metadata, annotations: {} } };
    expect(planSaving(saver(LABEL), 'HelmTemplate', foreign).op).toBe('conflict');
    expect(planSaving(saver(), 'HelmTemplate', foreign).op).toBe('none');
  });
});
