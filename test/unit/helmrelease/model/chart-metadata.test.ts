import { describe, expect, test } from '@jest/globals';
import { chartTexts, readChartMetadata } from '#controllers/helmrelease/model/chart-metadata.js';

test.each([
  ['numbers become text', { appVersion: 1.2, version: 3 }, { appVersion: '1.2', version: '3' }],
  ['words stay words', { annotations: { a: true, b: 5 } }, { annotations: { a: 'true', b: '5' } }],
  ['deprecated and enabled stay booleans', { deprecated: true }, { deprecated: true }],
  [
    'dependencies are read alike, import-values stay as they are',
    { dependencies: [{ name: 'db', version: 1, enabled: true, tags: [1], 'import-values': [{ child: 1 }] }] },
    { dependencies: [{ name: 'db', version: '1', enabled: true, tags: ['1'], 'import-values': [{ child: 1 }] }] },
  ],
  ['fields without a value are left out', { home: null, name: 'web' }, { name: 'web' }],
])('%s', (_name, fields, expected) => {
  expect(chartTexts(fields)).toEqual(expected);
});

describe('readChartMetadata', () => {
  const WEB = { apiVersion: 'v2', name: 'web', version: '1.0.0' };

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a chart of Helm 2 is v1', { apiVersion: '' }, { ...WEB, apiVersion: 'v1' }],
    ['what cannot be printed goes', { name: 'w\u0000e\u200Bb', appVersion: '1\t2' }, { ...WEB, appVersion: '1 2' }],
    ['Helm ignores other fields', { more: { a: [1] } }, { ...WEB, more: { a: ['1'] } }],
    ['one chart may serve twice', { dependencies: [{ name: 'db' }, { name: 'db', alias: 'db_2' }] }, WEB],
    ['a version may be short', { version: 'v1.2' }, { ...WEB, version: 'v1.2' }],
    ['all kinds of fields', { deprecated: true, type: 'library', annotations: { a: 1 }, maintainers: [{}] }, WEB],
  ])('%s', (_name, fields, metadata) => {
    expect(readChartMetadata([{ ...WEB, ...fields }])).toMatchObject({ metadata });
  });

  test('requirements.yaml continues Chart.yaml', () => {
    const twice = { name: null, dependencies: [{ name: 'db' }, { name: 'db' }] };
    expect(readChartMetadata([WEB, twice])).toEqual({ problem: expect.stringMatching(/^more than one dependency/) });
    expect(readChartMetadata([WEB, { dependencies: null }])).toEqual({ metadata: WEB });
  });

  test.each<[string, Record<string, unknown>]>([
    ['it has no name or no version', { name: null }],
    ['it has no name or no version', { version: null }],
    ['the name "" is invalid', { name: '\u0007' }],
    ['the name ".." is invalid', { name: '..' }],
    ['the name "../../etc" is invalid', { name: '../../etc' }],
    ['the version "newest" is not a semantic version', { version: 'newest' }],
    ['the type is neither application nor library', { type: 'plugin' }],
    ['Helm cannot read the field name', { name: { a: 'b' } }],
    ['Helm cannot read the field maintainers', { maintainers: [null] }],
    ['Helm cannot read the field maintainers', { maintainers: [{ name: [] }] }],
    ['Helm cannot read the field dependencies', { dependencies: [null] }],
    ['Helm cannot read the field dependencies', { dependencies: { name: 'db' } }],
    ['Helm cannot read the field deprecated', { deprecated: 'no' }],
    ['Helm cannot read the field annotations', { annotations: { a: { b: 'c' } } }],
    ['the alias "a.b" has more than letters, digits, - and _', { dependencies: [{ name: 'db', alias: 'a.b' }] }],
    [
      'more than one dependency has the name or alias "db"',
      { dependencies: [{ name: 'db\u0000' }, { name: 'x', alias: 'db' }] },
    ],
  ])('%s: %j', (problem, fields) => {
    expect(readChartMetadata([{ ...WEB, ...fields }])).toEqual({ problem });
    expect(readChartMetadata([{ ...WEB, ...fields }], 'subchart')).toEqual({ problem });
  });

  test.each<[string, Record<string, unknown>]>([
    ['the apiVersion is neither v1 nor v2', { apiVersion: 'v3' }],
    ['a name or version has more than 512 characters', { appVersion: 'x'.repeat(513) }],
  ])('a subchart may have what the chart itself may not: %s', (problem, fields) => {
    expect(readChartMetadata([{ ...WEB, ...fields }])).toEqual({ problem });
    expect(readChartMetadata([{ ...WEB, ...fields }], 'subchart')).toHaveProperty('metadata');
  });
});
