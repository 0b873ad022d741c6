import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Template } from '#api/v1alpha1/template.js';
import { askedTemplateIn, pinnedRevisions } from '#console/shared/template-preview.js';

test.each([{ revision: 2 }, { spec: { chart: {} } }])('%j is asked for', (body) => {
  expect(askedTemplateIn(body)).toEqual(body);
});

test.each<[unknown, string]>([
  [undefined, 'the body is not an object'],
  [{}, 'either revision or spec'],
  [{ revision: 1, spec: {} }, 'either revision or spec'],
  [{ revision: 0 }, 'revision: it must be a whole number'],
  [{ revision: '1' }, 'revision: it must be'],
  [{ spec: [] }, 'spec: it must be an object'],
  [{ spec: {}, metadata: {} }, '"metadata" is no field'],
])('%j is refused', (body, says) => {
  const refusal = { code: 400, message: expect.stringContaining(says) };
  expect(() => askedTemplateIn(body)).toThrow(expect.objectContaining(refusal));
});

const TEMPLATE = { kind: 'HelmTemplate', metadata: { name: 'web', namespace: 'platform' } } as Template;

function using(template: string): Application {
  const config = { helmRelease: { template, deploy: [{ destination: { targetNamespace: 'x' } }] } };
  return {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application' },
    metadata: { name: 'shop', namespace: 'shop' },
    spec: { kind: 'fluxcd', fluxApp: { spec: { config } } },
  };
}

test.each<[string, number[]]>([
  ['platform/web', []],
  ['platform/web@3', [3]],
  ['web@3', []],
  ['platform/other@3', []],
])('an Application that names %s stays at %j', (template, pinned) => {
  expect(pinnedRevisions(using(template), TEMPLATE)).toEqual(pinned);
});
