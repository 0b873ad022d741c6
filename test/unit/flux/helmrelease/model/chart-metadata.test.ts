import { expect, test } from '@jest/globals';
import { chartTexts } from '#controllers/flux/helmrelease/model/chart-metadata.js';

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
