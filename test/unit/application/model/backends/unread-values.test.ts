import { expect, test } from '@jest/globals';
import { unreadValues } from '#controllers/application/model/backends/fields.js';
import type { Entry } from '#controllers/application/model/child/types.js';
import { application, chartFrom, deploy, entriesOf } from '../builders.js';

const valuesFrom = [
  { kind: 'Secret', name: 'credentials' },
  { kind: 'ConfigMap', name: 'sizes', valuesKey: 'large', targetPath: 'resources' },
] as never;

function first(app: ReturnType<typeof application>): Entry {
  const [entry] = entriesOf(app);
  if (entry === undefined) throw new Error('it has an entry');
  return entry;
}

test('are files of the chart, then ConfigMaps and Secrets in their order', () => {
  const app = application([deploy('web', undefined, { valuesFrom })]);
  expect(unreadValues(app, first(app))).toEqual([
    'values.yaml of chart podinfo',
    'values.yaml of Secret credentials (valuesFrom)',
    'large of ConfigMap sizes (valuesFrom) at resources',
  ]);
});

test('are the files that the chart names, instead of its own', () => {
  const app = chartFrom('HelmRepository', { chart: 'web', valuesFiles: ['values.yaml', 'prod.yaml'] });
  expect(unreadValues(app, first(app))).toEqual(['values.yaml of chart web', 'prod.yaml of chart web']);
});

test('are those of an artifact that is the chart itself', () => {
  const app = chartFrom('OCIRepository', { chart: 'web' });
  expect(unreadValues(app, first(app))).toEqual(['values.yaml of chart OCIRepository charts']);
});
