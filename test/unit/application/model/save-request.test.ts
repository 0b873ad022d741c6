import { expect, it } from '@jest/globals';
import {
  copyOf,
  kindToSave,
  releaseRequest,
  savedTemplate,
  saveRequest,
} from '#controllers/application/model/spec/saved-template.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import { helmTemplate } from '../../template/model/builders.js';
import { application, deploy, files, filesApplication } from './builders.js';

const LABEL = 'gitops.kubesphere.io/save-helmtemplate';
const OTHER = 'gitops.kubesphere.io/save-helm-template';
const WEB = application([deploy('eu', 'eu', { values: { secret: 1 } })]);
const FILES = filesApplication([files('a', undefined, { path: 'a' })]);
const TWO_PATHS = filesApplication(['a', 'b'].map((path) => files(path, undefined, { path })));

function labelled(labels: Record<string, string>): Application {
  return { ...WEB, metadata: { ...WEB.metadata, labels } };
}

it('is asked for by the label of the kind that the Application has', () => {
  expect([kindToSave(WEB), kindToSave(FILES)]).toEqual(['HelmTemplate', 'KustomizationTemplate']);
  expect(saveRequest(WEB, 'HelmTemplate', undefined)).toEqual({
    annotations: {},
    labels: { [LABEL]: 'true' },
    done: 'saved as HelmTemplate shop/shop-web, which follows it until `fairlead template save web --release`',
  });
  expect(saveRequest(FILES, 'KustomizationTemplate', undefined)).toMatchObject({
    labels: { 'gitops.kubesphere.io/save-kustomizationtemplate': 'true' },
  });
});

it.each<[string, Application, Template | undefined, string]>([
  ['what is saved already', labelled({ [OTHER]: 'true' }), savedTemplate(WEB, 'HelmTemplate'), 'it is saved already'],
  ['a template of somebody else', WEB, helmTemplate({ values: {} }), 'exists and does not belong to it'],
  ['what has no chart', FILES, undefined, 'it cannot be saved as a HelmTemplate: it has no config.helmRelease.chart'],
])('refuses %s', (_, app, live, says) => {
  expect(saveRequest(app, 'HelmTemplate', live)).toEqual({ problem: expect.stringContaining(says) as unknown });
});

it('ends by the removal of every label that asks for it, in each spelling', () => {
  expect(releaseRequest(WEB)).toEqual({ problem: 'it is not saved as a template' });
  expect(releaseRequest(labelled({ [LABEL]: 'true', [OTHER]: 'true', mine: 'x' }))).toMatchObject({
    labels: { [LABEL]: null, [OTHER]: null },
  });
});

it('copies under another name, without values of destinations and without an owner', () => {
  const copy = copyOf(WEB, 'HelmTemplate', 'proven');
  expect(copy).toMatchObject({ kind: 'HelmTemplate', spec: { chart: { chart: 'podinfo' } } });
  expect((copy as Template).metadata).toEqual({ name: 'proven', namespace: 'shop' });
  expect(JSON.stringify(copy)).not.toContain('secret');
  const problem = expect.stringContaining('the entries of config.kustomization differ in path') as unknown;
  expect(copyOf(TWO_PATHS, 'KustomizationTemplate', 'x')).toEqual({ problem });
});
