import { describe, expect, it } from '@jest/globals';
import { describeFloating, floatingOf, floatingText } from '#controllers/application/model/spec/lock.js';
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
    expect(floatingOf(ranged(version))).toEqual([range(shown)]);
  });

  it.each(['6.7.1', '6.7.1-rc.1', '6.7.1+build.5'])('is not the exact version %s', (version) => {
    expect(floatingOf(ranged(version))).toEqual([]);
  });

  it('is a source that has no versions in an index', () => {
    const source = { kind: 'OCIRepository', namespace: 'shop', name: 'charts' };
    expect(floatingOf(chartFrom('OCIRepository', { chart: 'podinfo' }))).toEqual([{ source }]);
    expect(floatingText({ source })).toBe('OCIRepository/shop/charts');
    expect(describeFloating({ source })).toBe('OCIRepository shop/charts');
  });

  it('is each source of files once, that of a template as well', () => {
    const own = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };
    expect(floatingOf(filesApplication([]))).toEqual([]);
    expect(floatingOf(filesApplication([files('a'), files('b')]))).toEqual([{ source: own }]);
    const sourceRef = { kind: 'Bucket', namespace: 'base', name: 'files' };
    const templated = { ...files('c'), sourceRef };
    expect(floatingOf(filesApplication([templated, templated]))).toEqual([{ source: sourceRef }]);
    expect(floatingOf(filesApplication([files('a'), templated]))).toEqual([{ source: own }, { source: sourceRef }]);
  });

  it('is of the namespace of its source, and known by source, chart and range', () => {
    const app = ranged('6.x');
    expect(floatingOf({ ...app, metadata: { ...app.metadata, namespace: 'other' } })[0]?.source.namespace).toBe(
      'other',
    );
    expect(floatingText(range('6.x'))).toBe('HelmRepository/shop/charts podinfo 6.x');
    expect(describeFloating(range('6.x'))).toBe('chart podinfo 6.x of HelmRepository shop/charts');
  });

  it('is of the Helm repository that is made for an inline source', () => {
    const app = ranged(undefined);
    const inline = { repo: 'https://charts.example.com', chart: 'web', version: '1.x' };
    const config = { helmRelease: { deploy: [] } };
    const [found] = floatingOf({ ...app, spec: { ...app.spec, fluxApp: { spec: { source: { inline }, config } } } });
    expect(found?.source.name).toMatch(/^inline-charts-example-com-/);
    expect(found?.chart).toMatchObject({ name: 'web', version: '1.x' });
  });
});
