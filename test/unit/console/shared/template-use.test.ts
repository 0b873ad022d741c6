import { describe, expect, test } from '@jest/globals';
import type { Template } from '#api/v1alpha1/template.js';
import { applicationOf, schemaQuestion, templateUseIn, valuesProblems } from '#console/shared/template-use.js';

const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'platform' };
const HELM = {
  ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'HelmTemplate' },
  metadata: { name: 'web', namespace: 'platform' },
  spec: { sourceRef, chart: { chart: 'web' }, values: { a: { b: 1, c: 2 } }, valuesSchema: { type: 'object' } },
} as unknown as Template;
const FILES = { ...HELM, kind: 'KustomizationTemplate', spec: { sourceRef } } as unknown as Template;

describe('the body of a use', () => {
  test('is read', () => {
    const body = {
      ...{ name: 'web.1', namespace: 'shop', targetNamespace: 'prod', revision: 2, values: { a: 1 } },
      clusters: [{ kind: 'Secret', name: 'eu' }],
    };
    expect(templateUseIn(body)).toEqual(body);
    expect(templateUseIn({ name: 'web', namespace: 'shop' })).toEqual({ name: 'web', namespace: 'shop', clusters: [] });
  });

  test.each<[unknown, string]>([
    [undefined, 'the body is not an object'],
    [{ namespace: 'shop' }, 'name: it must be the name of an object'],
    [{ name: '../x', namespace: 'shop' }, 'name: it must'],
    [{ name: 'x'.repeat(254), namespace: 'shop' }, 'name: it must'],
    [{ name: 'web', namespace: 'a.b' }, 'namespace: it must be the name of a namespace'],
    [{ name: 'web', namespace: 'shop', targetNamespace: 1 }, 'targetNamespace: it must'],
    [{ name: 'web', namespace: 'shop', revision: 0 }, 'revision: it must be a whole number'],
    [{ name: 'web', namespace: 'shop', values: [] }, 'values: they must be an object'],
    [{ name: 'web', namespace: 'shop', clusters: {} }, 'clusters: it must be a list'],
    [{ name: 'web', namespace: 'shop', clusters: [{ kind: 'Pod', name: 'x' }] }, 'clusters: the kinds are'],
    [{ name: 'web', namespace: 'shop', clusters: [{ kind: 'Secret', name: 'x', key: 'y' }] }, 'clusters: each must'],
    [{ name: 'web', namespace: 'shop', value: {} }, '"value" is no field'],
  ])('%j is refused', (body, says) => {
    const refusal = { code: 400, message: expect.stringContaining(says) };
    expect(() => templateUseIn(body)).toThrow(expect.objectContaining(refusal));
  });
});

describe('the Application', () => {
  const use = { name: 'web', namespace: 'shop', clusters: [] };
  const configOf = (template: Template, more: object = {}): unknown =>
    applicationOf(template, { ...use, ...more }).spec.fluxApp?.spec.config;

  test('names a template of another namespace, and the revision at which it stays', () => {
    expect(configOf(HELM)).toMatchObject({ helmRelease: { template: 'platform/web' } });
    expect(configOf(HELM, { namespace: 'platform', revision: 3 })).toMatchObject({
      helmRelease: { template: 'web@3' },
    });
    expect(configOf(FILES)).toEqual({ kustomization: [{ template: 'platform/web' }] });
  });

  test('has the values of the form', () => {
    expect(configOf(HELM, { values: { a: 1 } })).toMatchObject({ helmRelease: { deploy: [{ values: { a: 1 } }] } });
  });

  test('of files has none', () => {
    expect(() => configOf(FILES, { values: {} })).toThrow('a KustomizationTemplate has none');
  });
});

test('values are checked with the defaults below them', () => {
  const use = { name: 'web', namespace: 'shop', clusters: [], values: { a: { b: null, d: 3 } } };
  expect(schemaQuestion(HELM.spec, use)).toEqual({ schema: { type: 'object' }, values: [{ a: { c: 2, d: 3 } }] });
  expect(schemaQuestion(FILES.spec, use)).toBeUndefined();
});

test('problems are by field', () => {
  const problem = { path: 'a.b', message: 'must be >= 1', keyword: 'minimum' };
  expect(valuesProblems({ problems: [[problem]] })).toEqual([{ field: 'a.b', message: 'must be >= 1' }]);
  expect(valuesProblems({ problem: 'x' })).toEqual([{ field: '', message: expect.stringContaining('cannot be used') }]);
});
