import { describe, expect, it } from '@jest/globals';
import {
  describeUnresolved,
  unresolvedOf,
  unresolvedText,
} from '#controllers/application/model/spec/resolved-versions.js';
import { chartFrom, files, filesApplication } from '../builders.js';
import { range, ranged } from './builders.js';

describe('what floats', () => {
  it.each([
    ['6.x', '6.x'],
    ['>=6 <7', '>=6 <7'],
    ['6.7', '6.7'],
    ['*', '*'],
    ['', '*'],
    [undefined, '*'],
  ])('has the version %p as the range %s', (version, shown) => {
    expect(unresolvedOf(ranged(version))).toEqual([range(shown)]);
  });

  it.each(['6.7.1', '6.7.1-rc.1', '6.7.1+build.5'])('is not the exact version %s', (version) => {
    expect(unresolvedOf(ranged(version))).toEqual([]);
  });

  it('is a source that has no versions in an index', () => {
    const source = { kind: 'OCIRepository', namespace: 'shop', name: 'charts' };
    expect(unresolvedOf(chartFrom('OCIRepository', { chart: 'podinfo' }))).toEqual([{ source }]);
    expect(unresolvedText({ source })).toBe('OCIRepository/shop/charts');
    expect(describeUnresolved({ source })).toBe('OCIRepository shop/charts');
  });

  it('is each source of files once, that of a template as well', () => {
    const own = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };
    expect(unresolvedOf(filesApplication([]))).toEqual([]);
    expect(unresolvedOf(filesApplication([files('a'), files('b')]))).toEqual([{ source: own }]);
    const sourceRef = { kind: 'Bucket', namespace: 'base', name: 'files' };
    const templated = { ...files('c'), sourceRef };
    expect(unresolvedOf(filesApplication([templated, templated]))).toEqual([{ source: sourceRef }]);
    expect(unresolvedOf(filesApplication([files('a'), templated]))).toEqual([{ source: own }, { source: sourceRef }]);
  });

  it('is of the namespace of its source, and known by source, chart and range', () => {
    const app = ranged('6.x');
    expect(unresolvedOf({ ...app, metadata: { ...app.metadata, namespace: 'other' } })[0]?.source.namespace).toBe(
      'other',
    );
    expect(unresolvedText(range('6.x'))).toBe('HelmRepository/shop/charts podinfo 6.x');
    expect(describeUnresolved(range('6.x'))).toBe('chart podinfo 6.x of HelmRepository shop/charts');
  });

  it('is of the Helm repository that is made for an inline source', () => {
    const app = ranged(undefined);
    const inline = { repo: 'https://charts.example.com', chart: 'web', version: '1.x' };
    const config = { helmRelease: { deploy: [] } };
    const [found] = unresolvedOf({ ...app, spec: { ...app.spec, fluxApp: { spec: { source: { inline }, config } } } });
    expect(found?.source.name).toMatch(/^inline-charts-example-com-/);
    expect(found?.chart).toMatchObject({ name: 'web', version: '1.x' });
  });
});
