import { expect, it } from '@jest/globals';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { NamespaceSelector } from '#api/v1alpha1/template-fields.js';
import type { TemplateRevision } from '#api/v1alpha1/template.js';
import { templateDetail, templateDifferences, templateView } from '#queries/views/template-view.js';
import { helmTemplate, kustomizationTemplate, user } from '../../template/model/builders.js';

const READY = { type: 'Ready', status: 'True', reason: 'Valid', message: 'revision 2: chart podinfo' } as const;
const READY_STATUS = {
  observedGeneration: 2,
  conditions: [{ ...READY, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  revision: 2,
  usedBy: 5,
};

function revision(number: number, spec: Partial<HelmTemplateSpec>): TemplateRevision {
  const metadata = { name: `web-${number}`, namespace: 'shop', creationTimestamp: `2026-01-0${number}T00:00:00Z` };
  const data = { spec: helmTemplate(spec).spec };
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data, revision: number };
}

it('says where chart and source are, who may use it and how many do', () => {
  const template = helmTemplate(
    { sharedWith: { namespaces: ['a'], selector: { matchLabels: { tier: 'prod' } } } },
    { status: READY_STATUS },
  );
  expect(templateView(template)).toEqual({
    kind: 'HelmTemplate',
    namespace: 'shop',
    name: 'web',
    state: 'Ready',
    message: 'revision 2: chart podinfo',
    revision: 2,
    chart: 'podinfo',
    version: '1.x',
    path: '',
    source: 'HelmRepository shop/charts',
    usedBy: 5,
    sharedWith: ['a', 'namespaces with tier=prod'],
    savedBy: '',
    createdAt: '',
  });
});

it('says that an empty selector means every namespace, and names expressions', () => {
  const sharedWith = (selector: NamespaceSelector) =>
    templateView(helmTemplate({ sharedWith: { selector } })).sharedWith;
  expect(sharedWith({})).toEqual(['every namespace']);
  expect(sharedWith({ matchExpressions: [{ key: 'a', operator: 'Exists' }] })).toEqual(['namespaces with a Exists']);
  expect(sharedWith({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] })).toEqual([
    'namespaces with a In (b, c)',
  ]);
});

it('is pending until its last change was reconciled, and stalled when it cannot be used', () => {
  expect(templateView(helmTemplate())).toMatchObject({ state: 'Pending', revision: 0, usedBy: 0 });
  const old = { ...READY_STATUS, observedGeneration: 1 };
  expect(templateView(helmTemplate({}, { status: old }))).toMatchObject({ state: 'Pending' });
  const conditions = READY_STATUS.conditions.map((each) => ({ ...each, status: 'False' as const, message: 'no' }));
  const broken = helmTemplate({}, { status: { ...READY_STATUS, conditions } });
  expect(templateView(broken)).toMatchObject({ state: 'Stalled', message: 'no' });
});

it('has the path of files', () => {
  expect(templateView(kustomizationTemplate({ path: 'overlays/prod' }))).toMatchObject({
    kind: 'KustomizationTemplate',
    path: 'overlays/prod',
    chart: '',
    source: 'GitRepository shop/apps',
  });
});

it('tells what each revision changed and who uses it, and leaves out users of others with its name', () => {
  const used = { kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision: 1 } as const;
  const detail = templateDetail({
    template: helmTemplate({}, { status: READY_STATUS }),
    revisions: [revision(1, {}), revision(2, { values: { image: 'b' } })],
    applications: [
      user([used]),
      user([{ ...used, namespace: 'other' }]),
      user([{ ...used, kind: 'KustomizationTemplate' }]),
    ],
  });
  expect(detail.users).toEqual(['shop/app']);
  expect(detail.revisions).toEqual([
    { revision: 2, createdAt: '2026-01-02T00:00:00Z', changes: ['values'], usedBy: [] },
    { revision: 1, createdAt: '2026-01-01T00:00:00Z', changes: [], usedBy: ['shop/app'] },
  ]);
});

it('takes what somebody else wrote as a revision for one without a spec', () => {
  const forged = { ...revision(2, {}), data: 'x' } as unknown as TemplateRevision;
  const detail = templateDetail({ template: helmTemplate(), revisions: [forged, revision(1, {})], applications: [] });
  expect(detail.revisions.map(({ changes }) => changes)).toEqual([[], []]);
});

it('compares two templates field by field, whoever may use them', () => {
  const [from, to] = [helmTemplate({ values: { a: 1 } }), helmTemplate({ values: { a: 2 }, sharedWith: {} })];
  expect(templateDifferences(from.spec, to.spec)).toEqual([{ path: '/spec/values/a', old: 1, new: 2 }]);
  expect(templateDifferences(from.spec, from.spec)).toEqual([]);
});
