import { expect, it } from '@jest/globals';
import { resolvedLines } from '#cli/inspect/explain.js';

const source = { kind: 'HelmRepository', namespace: 'shop', name: 'charts', chart: 'podinfo', version: '6.x' };
const RANGE = 'chart podinfo 6.x of HelmRepository shop/charts';

it.each<[string, object, string]>([
  ['the version that it means', { revision: '6.7.1' }, 'means 6.7.1'],
  ['one that waits', { revision: '6.7.1', available: '6.8.0' }, 'means 6.7.1; 6.8.0 waits for the end of the rollout'],
  ['why it stays', { revision: '6.7.1', message: 'it is gone' }, 'means 6.7.1: it is gone'],
  ['that it is not known', {}, 'is not known yet'],
  ['why it is not known', { message: 'no index' }, 'is not known yet: no index'],
])('says of a version range %s', (_, more, expected) => {
  expect(resolvedLines({ status: { sources: [{ ...source, ...more }] } })).toEqual([`${RANGE} ${expected}`]);
});

it('says nothing of an Application without ranges', () => {
  expect(resolvedLines({})).toEqual([]);
});
