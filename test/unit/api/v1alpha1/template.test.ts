import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  parseTemplatesInUse,
  printTemplateInUse,
  printTemplatesInUse,
  revisionSpecOf,
  type TemplateInUse,
} from '../../../../api/v1alpha1/template.js';

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
  it('are printed with their revision, if they have one', () => {
    const chart = { kind: 'HelmChart', namespace: 'shop', name: 'web' } as const;
    const template = { kind: 'HelmTemplate', namespace: 'shop', name: 'web', revision: 3 } as const;
    expect(printTemplateInUse(chart)).toBe('HelmChart shop/web');
    expect(printTemplatesInUse([template, chart, template])).toBe('HelmChart shop/web, HelmTemplate shop/web@3');
    expect(printTemplatesInUse([])).toBeUndefined();
  });

  it('can be read back', () => {
    fc.assert(
      fc.property(fc.array(inUse), (templates) => {
        const text = printTemplatesInUse(templates);
        expect(printTemplatesInUse(parseTemplatesInUse(text))).toBe(text);
        for (const each of templates) expect(parseTemplatesInUse(text)).toContainEqual(each);
      }),
    );
  });

  it('are none in a text that says something else', () => {
    expect(parseTemplatesInUse(undefined)).toEqual([]);
    expect(parseTemplatesInUse('web')).toEqual([]);
    expect(parseTemplatesInUse('Secret a/b@1')).toEqual([]);
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
