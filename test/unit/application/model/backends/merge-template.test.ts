import { expect, it } from '@jest/globals';
import { mergeTemplate } from '#controllers/application/model/backends/fields.js';

const sourceRef = { kind: 'GitRepository', name: 'apps', namespace: 'shop' } as const;

it.each<[string, Parameters<typeof mergeTemplate>[0], object, object]>([
  [
    'a chart',
    { sourceRef, chart: { chart: 'web' }, values: { a: 1, b: 1 }, deploy: { interval: '1h' } },
    { values: { b: 2 } },
    { interval: '1h', values: { a: 1, b: 2 } },
  ],
  [
    'files',
    { sourceRef, path: './web', deploy: { interval: '1h' } },
    { interval: '5m' },
    { interval: '5m', path: './web', sourceRef },
  ],
])('an entry wins over its template of %s, and names it no more', (_, spec, entry, expected) => {
  expect(mergeTemplate(spec, { ...entry, template: 'base' })).toEqual(expected);
});
