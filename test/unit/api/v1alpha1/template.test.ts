import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  distinctTemplates,
  printTemplatesInUse,
  revisionSpecOf,
  templatesInUse,
  type TemplateInUse,
} from '#api/v1alpha1/template.js';

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/);
const inUse = fc
  .record({
    kind: fc.constantFrom('HelmTemplate', 'KustomizationTemplate', 'HelmChart'),
    namespace: name,
    name,
    revision: fc.option(fc.integer({ min: 1, max: 1e6 }), { nil: undefined }),
  })
  .map(({ revision, ...rest }): TemplateInUse => (revision === undefined ? rest : { ...rest, revision }));

describe('templates in use', () => {
  const chart = { kind: 'HelmChart', namespace: 'shop', name: 'web' } as const;
  const template = { kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision: 3 } as const;

  it('are listed once each, and printed with their revision, if they have one', () => {
    expect(distinctTemplates([template, chart, template])).toEqual([chart, template]);
    expect(printTemplatesInUse([chart, template])).toBe('HelmChart shop/web, HelmTemplate shop/web@3');
  });

  it('are those of the status', () => {
    expect(templatesInUse({ templates: [template], template: 'HelmChart shop/web' })).toEqual([template]);
    expect(templatesInUse({})).toEqual([]);
    expect(templatesInUse(undefined)).toEqual([]);
  });

  it('are read from the text of a status that an earlier version wrote', () => {
    fc.assert(
      fc.property(fc.array(inUse), (templates) => {
        const distinct = distinctTemplates(templates);
        expect(templatesInUse({ template: printTemplatesInUse(distinct) })).toEqual(distinct);
      }),
    );
    expect(templatesInUse({ template: 'web' })).toEqual([]);
    expect(templatesInUse({ template: 'Secret a/b@1' })).toEqual([]);
  });
});

describe('what a revision keeps', () => {
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'shop' };
  it.each<[string, unknown, boolean]>([
    ['a template', { spec: { sourceRef, chart: { chart: 'web' } } }, true],
    ['no data', undefined, false],
    ['data that are null', null, false],
    ['data that are a text', 'spec', false],
    ['no spec', {}, false],
    ['a spec that is null', { spec: null }, false],
    ['no source', { spec: { chart: {} } }, false],
    ['a source that is null', { spec: { sourceRef: null } }, false],
    ['a source without a name', { spec: { sourceRef: { kind: 'HelmRepository' } } }, false],
    ['a source whose name is a number', { spec: { sourceRef: { kind: 'HelmRepository', name: 7 } } }, false],
  ])('of an object with %s', (_title, data, isTemplate) => {
    expect(revisionSpecOf({ data }) !== undefined).toBe(isTemplate);
  });
});
